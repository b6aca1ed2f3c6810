// The members of a rule: their fields, and what they say. A new member is added here, and nowhere else on the page.
import { html } from "../../docs/vendor/lit-html.js";
import { anyOf, select } from "./parts.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const BREAKS = [
  ["", "nothing"],
  ["body", "the connection"],
  ["json", "the JSON"],
];

const labelled = (label, control) => html`<label class="stack">${label} ${control}</label>`;
const choice = (name, label, options) => labelled(label, select(options, "", { name }));
const line = (name, label, type = "text") =>
  labelled(label, html`<input class="field" type=${type} step="any" name=${name} />`);
const number = (name, label) => line(name, label, "number");
const text = (name, label) =>
  labelled(label, html`<textarea class="field mono" name=${name} rows="2" spellcheck="false"></textarea>`);

/** The fields of a rule, the rare ones folded. @param operations to choose from @param isOpen whether these are shown */
export const fields = (operations, isOpen) => html`
  <div class="fields">
    ${choice("operationId", "Operation", anyOf(operations))} ${number("status", "Status")}
    ${number("times", "Times (empty: always)")} ${number("delayMs", "Delay in ms")}
  </div>
  <details ?open=${isOpen}>
    <summary>More</summary>
    <div class="fields">
      ${choice("method", "Method", anyOf(METHODS))} ${line("path", "Path, such as /pet/{petId}")}
      ${number("every", "Every nth request")} ${number("chance", "Chance, 0 to 1")}
      ${number("retryAfter", "Retry-After in s")} ${choice("break", "Break", BREAKS)}
      <label class="check"><input type="checkbox" name="after" /> With a status: do the request first</label>
      ${text("body", "With a status: body")}
      ${text("headers", "Headers as JSON, such as {“x-a”: “1”}, where null removes one")}
      ${text("patch", "Patch as JSON, to be merged into the body, where null removes a member")}
    </div>
  </details>
`;

const COMMON = new Set(["operationId", "status", "times", "delayMs"]);

/** Whether a rule has a member whose field is folded. */
export const hasRare = (rule) => Object.keys(rule).some((member) => !COMMON.has(member));

/** How to read the fields that are neither numbers nor texts. */
const READERS = { after: () => true, headers: JSON.parse, patch: JSON.parse };

/** Shows a rule in the form. */
export function fill(form, rule) {
  form.reset();
  for (const [member, value] of Object.entries(rule)) {
    const field = form.elements[member];
    if (field.type === "checkbox") field.checked = value;
    else field.value = typeof value === "object" ? JSON.stringify(value) : value;
  }
}

/** The rule in the form, and what cannot be read. The service validates the rest. */
export function ruleIn(form) {
  const rule = {};
  const errors = [];
  for (const { name, type, value, checked, validity } of form.elements) {
    if (validity.badInput) errors.push({ path: name, message: "must be a number" });
    if (!name || value === "" || (type === "checkbox" && !checked)) continue;
    try {
      rule[name] = (READERS[name] ?? (type === "number" ? Number : String))(value);
    } catch ({ message }) {
      errors.push({ path: name, message });
    }
  }
  return { rule, errors };
}

/** The most characters of a text that a client sent. */
const MOST = 60;

/** A text that a client sent. It may run from right to left, so it stands apart. */
const given = (sent) => html`<code dir="auto">${sent.length > MOST ? `${sent.slice(0, MOST)}…` : sent}</code>`;

/** What each member says of the answer, in the order of the sentence. */
const CLAUSES = {
  status: (status, { after }) => [`${status}${after ? " after the work is done" : ""}`],
  body: (body) => [["the body ", given(body)]],
  retryAfter: (seconds) => [`retry after ${seconds}\u00a0s`],
  headers: (headers) =>
    Object.entries(headers).map(([name, value]) =>
      value === null ? ["no header ", given(name)] : ["the header ", given(`${name}: ${value}`)],
    ),
  patch: (patch) => [[given(JSON.stringify(patch)), " merged into the body"]],
  delayMs: (ms) => [`${ms}\u00a0ms late`],
  break: (place) => [place === "body" ? "the connection drops in the middle of the body" : "only half of the body"],
};

/** What a rule does to an answer. */
export function effect(rule) {
  const clauses = Object.entries(CLAUSES).flatMap(([member, say]) =>
    rule[member] === undefined ? [] : say(rule[member], rule),
  );
  return clauses.flatMap((clause, index) => (index === 0 ? [clause] : [", ", clause]));
}

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** A rule in words, such as “Next addPet: 503, retry after 1 s”. */
export function sentence(rule) {
  const { operationId, method, path, times, every = 1, chance = 1 } = rule;
  const isNext = times !== undefined && every === 1 && chance === 1;
  const which = isNext ? `Next${times > 1 ? ` ${times}` : ""}` : "Every";
  const nth = every > 1 ? ` ${every}${ENDINGS[ordinals.select(every)]}` : "";
  const target = [operationId, method, path].filter(Boolean).join(" ");
  const limits = [
    ...(chance < 1 ? [`, with a chance of ${Number((chance * 100).toFixed(2))} %`] : []),
    ...(times !== undefined && !isNext ? [`, at most ${times === 1 ? "once" : `${times} times`}`] : []),
  ];
  const requests = target ? given(target) : isNext && times > 1 ? "requests" : "request";
  return [which, nth, " ", requests, limits, ": ", effect(rule)];
}
