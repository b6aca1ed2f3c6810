// The members of a rule: their fields, and what they say. A new member is added here, and nowhere else on the page.
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { fault, select } from "./parts.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE"];
const BREAKS = [
  ["", "nothing"],
  ["body", "the connection"],
  ["json", "the JSON"],
];

/** The fields of a rule. @param refusals why values were refused, by member @param operations to choose from */
export function fields(refusals, operations) {
  /** A control with its label, and why its value was refused. */
  const labelled = (name, label, control) => {
    const id = `${name}-refusal`;
    return html`<div>
      <label class="stack">${label} ${control(name, refusals[name] ? id : nothing)}</label>
      ${fault(refusals[name], id)}
    </div>`;
  };
  const number = (name, label) => labelled(name, label, input("number"));
  const line = (name, label) => labelled(name, label, input("text"));
  const text = (name, label) => labelled(name, label, textarea);
  const choice = (name, label, options) => labelled(name, label, (_, id) => select(name, options, undefined, id));
  return html`
    <fieldset class="fields">
      <legend>For which requests</legend>
      ${choice("operationId", "Operation", anyOf(operations))} ${choice("method", "Method", anyOf(METHODS))}
      ${line("path", "Path, such as /pet/{petId}")} ${number("times", "Times (empty: always)")}
      ${number("every", "Every nth")} ${number("chance", "Chance, 0 to 1")}
    </fieldset>
    <fieldset class="fields">
      <legend>An answer on demand</legend>
      ${number("status", "Status")} ${number("retryAfter", "Retry-After in s")}
      <label class="check"><input type="checkbox" name="after" /> Do the request first</label>
      ${text("body", "Body")}
    </fieldset>
    <fieldset class="fields">
      <legend>Changes to the answer</legend>
      ${number("delayMs", "Delay in ms")} ${choice("break", "Break", BREAKS)}
      ${text("headers", "Headers: “name: value” in each line, or “-name” to remove one")}
      ${text("patch", "Patch: JSON to merge into the body")}
    </fieldset>
  `;
}

const anyOf = (values) => [["", "any"], ...values.map((value) => [value, value])];

const input = (type) => (name, describedBy) =>
  html`<input class="field" type=${type} step="any" name=${name} aria-describedby=${describedBy} />`;

const textarea = (name, describedBy) =>
  html`<textarea
    class="field mono"
    name=${name}
    rows="2"
    spellcheck="false"
    aria-describedby=${describedBy}
  ></textarea>`;

/** How to read the fields that are neither numbers nor texts. */
const READERS = { after: () => true, headers: headersIn, patch: (text) => JSON.parse(text) };

/** A header in each line. */
function headersIn(text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const removed = /^\s*-(\S+)\s*$/.exec(line);
      if (removed) return [removed[1], null];
      const [, name, value] = /^\s*([^\s:]+):(.*)$/.exec(line) ?? [];
      if (!name) throw new Error(`is neither “name: value” nor “-name”: ${line}`);
      return [name, value.trim()];
    }),
  );
}

/** The rule in the form, and what cannot be read. The service validates the rest. */
export function ruleIn(form) {
  const rule = {};
  const refusals = {};
  for (const { name, type, value, checked, validity } of form.elements) {
    if (validity.badInput) refusals[name] = "must be a number";
    if (!name || value === "" || (type === "checkbox" && !checked)) continue;
    try {
      rule[name] = (READERS[name] ?? (type === "number" ? Number : String))(value);
    } catch ({ message }) {
      refusals[name] = message;
    }
  }
  return { rule, refusals };
}

/** The most characters of a text that a client sent. */
const MOST = 60;

/** A text that a client sent. It may run from right to left, so it stands apart. */
const given = (text) => html`<code dir="auto">${text.length > MOST ? `${text.slice(0, MOST)}…` : text}</code>`;

/** What each member says of the answer, in the order of the sentence. */
const CLAUSES = {
  status: (status, { after }) => [[`is ${status}`, after ? " after the request is done" : ""]],
  body: (body) => [["has the body ", given(body)]],
  retryAfter: (seconds) => [[`asks to retry after ${seconds} s`]],
  headers: (headers) =>
    Object.entries(headers).map(([name, value]) =>
      value === null ? ["has no header ", given(name)] : ["has the header ", given(`${name}: ${value}`)],
    ),
  patch: (patch) => [["has ", given(JSON.stringify(patch)), " merged into its body"]],
  delayMs: (ms) => [[`comes ${ms} ms late`]],
  break: (place) => [[place === "body" ? "breaks off in the middle of its body" : "ends after half of its body"]],
};

/** Whether a rule does anything. */
export const hasEffect = (rule) =>
  ["status", "headers", "patch", "delayMs", "break"].some((member) => rule[member] !== undefined);

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (number) => `${number}${ENDINGS[ordinals.select(number)]}`;

/** The requests that a rule is for. */
function requestsOf({ operationId, method, path, times, every = 1, chance = 1 }) {
  const isNext = times !== undefined && every === 1 && chance === 1;
  const limits = [
    ...(chance < 1 ? [`with a chance of ${Number((chance * 100).toFixed(2))} %`] : []),
    ...(times !== undefined && !isNext ? [times === 1 ? "once" : `at most ${times} times`] : []),
  ];
  const start = [...limits, "the answer to "].join(", ");
  const which = isNext
    ? times === 1
      ? "the next "
      : `each of the next ${times} `
    : `every ${every === 1 ? "" : `${ordinal(every)} `}`;
  const target = [operationId, method, path].filter(Boolean).join(" ");
  return [
    start.charAt(0).toUpperCase() + start.slice(1) + which,
    ...(target ? [given(target), " "] : []),
    isNext && times > 1 ? "requests " : "request ",
  ];
}

/** What a rule does, as a sentence. */
export function sentence(rule) {
  const clauses = Object.entries(CLAUSES).flatMap(([member, say]) =>
    rule[member] === undefined ? [] : say(rule[member], rule),
  );
  const said = clauses.flatMap((clause, index) => {
    const last = index === clauses.length - 1 ? " and " : ", ";
    return index === 0 ? clause : [last, ...clause];
  });
  return [...requestsOf(rule), ...said, "."];
}
