// The fields of a rule in a form, and how they are read.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { anyOf, select } from "./parts.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const BREAKS = [
  ["", "no"],
  ["body", "close the connection in the middle of the body"],
  ["json", "end the body after half of it"],
  ["connection", "close the connection before the response"],
];

const MOST_MS = 30_000;

/** The fields of each part that are folded, unless the rule has one of them. */
const FOLDED = {
  which: ["match.query", "match.headers", "match.body"],
  what: ["body", "retryAfter", "location", "headers", "patch", "slowMs"],
};

/** Fields with JSON. */
const JSON_FIELDS = new Set(["match.query", "match.headers", "match.body", "headers", "patch"]);

/** The fields of a rule as pairs, with a name for each. */
const pairsOf = ({ match = {}, delayMs, ...rule }) => {
  const [least, most] = Array.isArray(delayMs) ? delayMs : [delayMs];
  const matches = Object.entries(match).map(([name, value]) => [`match.${name}`, value]);
  return [...Object.entries({ ...rule, delayMs: least, "delayMs.1": most }), ...matches].filter(
    ([, value]) => value !== undefined,
  );
};

/** @param rule that the form began with @param errors messages by field */
export function fields(operations, rule, errors) {
  const labelled = (name, label, control, hint) => html`
    <div class="stack ${JSON_FIELDS.has(name) || name === "body" ? "broad" : ""}">
      <label class="stack">
        <span>${label} ${hint ? html`<code class="quiet">${hint}</code>` : nothing}</span> ${control}
      </label>
      <p class="fault" id="error-${name}" ?hidden=${!errors[name]}>${errors[name]}</p>
    </div>
  `;
  const choice = (name, label, options) => labelled(name, label, select(options, "", { name, error: `error-${name}` }));
  const described = (name) => [`error-${name}`, errors[name] ? "true" : nothing];
  const line = (name, label, { type = "text", hint, min, max, step = 1 } = {}) => {
    const [id, isInvalid] = described(name);
    const control = html`<input
      class="field"
      type=${type}
      min=${min ?? nothing}
      max=${max ?? nothing}
      step=${step}
      name=${name}
      aria-describedby=${id}
      aria-invalid=${isInvalid}
    />`;
    return labelled(name, label, control, hint);
  };
  const number = (name, label, min, max, step) => line(name, label, { type: "number", min, max, step });
  const text = (name, label, hint) => {
    const [id, isInvalid] = described(name);
    const control = html`<textarea
      class="field mono"
      name=${name}
      rows="1"
      spellcheck="false"
      aria-describedby=${id}
      aria-invalid=${isInvalid}
    ></textarea>`;
    return labelled(name, label, control, hint);
  };
  const names = new Set(pairsOf(rule).map(([name]) => name));
  const folded = (part, title, content) => html`
    <details class="broad" ?open=${FOLDED[part].some((name) => names.has(name))}>
      <summary>${title}</summary>
      <div class="fields">${content}</div>
    </details>
  `;
  return html`
    <fieldset class="fields">
      <legend>Which requests</legend>
      ${choice("operationId", "Operation", anyOf(operations))} ${choice("method", "Method", anyOf(METHODS))}
      ${line("path", "Path", { hint: "/pet/{petId}" })}
      ${folded(
        "which",
        "Match the query, headers, or body",
        html`${text("match.query", "Query as JSON", '{"status": "sold"}')}
        ${text("match.headers", "Headers as JSON, null for absent", '{"x-test": "1"}')}
        ${text("match.body", "Fields of the body as JSON", '{"name": "Rex"}')}`,
      )}
    </fieldset>
    <fieldset class="fields">
      <legend>What happens</legend>
      ${number("status", "Status", 200, 599)} ${number("delayMs", "Delay in ms", 1, MOST_MS)}
      ${number("delayMs.1", "or random, up to", 1, MOST_MS)} ${choice("break", "Break the response", BREAKS)}
      <label class="check">
        <input type="checkbox" name="after" /> Perform the request first, then drop its response
      </label>
      ${folded(
        "what",
        "Headers, body, patch, redirect, slow body",
        html`${number("retryAfter", "Retry-After in s", 0, 86_400)} ${number("slowMs", "Slow body in ms", 1, MOST_MS)}
        ${line("location", "Redirect to", { hint: "/pet/2" })} ${text("body", "Body, with a status")}
        ${text("headers", "Headers as JSON, null to remove", '{"x-test": "1"}')}
        ${text("patch", "Patch of the body as JSON, null to remove", '{"name": null}')}`,
      )}
    </fieldset>
    <fieldset class="fields">
      <legend>How often</legend>
      ${number("times", "Times (empty: always)", 1, 1_000_000)} ${number("every", "Every nth request", 1, 1_000_000)}
      ${number("chance", "Probability, 0 to 1", 0, 1, "any")}
    </fieldset>
  `;
}

/** Shows a rule in the form. */
export function fill(form, rule) {
  form.reset();
  for (const [name, value] of pairsOf(rule)) {
    const field = form.elements[name];
    if (field.type === "checkbox") field.checked = value;
    else field.value = JSON_FIELDS.has(name) ? JSON.stringify(value) : value;
  }
}

/** Reads the rule in the form, and what is wrong with its fields. The service validates the rest. */
export function ruleIn(form) {
  const values = {};
  const errors = [];
  for (const { name, type, value, checked, validity, validationMessage } of form.elements) {
    if (name && !validity.valid) errors.push({ path: name, message: validationMessage });
    if (!name || value === "" || (type === "checkbox" && !checked)) continue;
    try {
      values[name] = JSON_FIELDS.has(name) ? JSON.parse(value) : type === "number" ? Number(value) : value;
    } catch ({ message }) {
      errors.push({ path: name, message: `is not JSON: ${message}` });
    }
  }
  const { after, delayMs, "delayMs.1": most, ...rule } = values;
  if (after) rule.after = true;
  if (delayMs !== undefined) rule.delayMs = most === undefined ? delayMs : [delayMs, most];
  else if (most !== undefined) errors.push({ path: "delayMs", message: "Enter the least delay too." });
  for (const name of FOLDED.which.filter((each) => each in rule)) {
    rule.match = { ...rule.match, [name.slice("match.".length)]: rule[name] };
    delete rule[name];
  }
  return { rule, errors };
}

/** The field of a path in an error, such as `headers` for `0.headers.x-a`. */
export const fieldOf = (form, path) => {
  const inRule = path.replace(/^\d+\.?/, "");
  return Array.from(form.elements, ({ name }) => name)
    .filter((name) => name && `${inRule}.`.startsWith(`${name}.`))
    .reduce((best, name) => (name.length > best.length ? name : best), "");
};
