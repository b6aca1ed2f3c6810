// A rule: its fields, the words for it, and which requests it selects. A new field of rules is added to FIELDS.
import { html } from "../../docs/vendor/lit-html.js";
import { anyOf } from "./components.js";

/** The most characters of a text that a client sent. */
const MOST = 60;

/** A text that a client sent. It may run from right to left, so it is isolated. */
const given = (sent) => html`<code dir="auto">${sent.length > MOST ? `${sent.slice(0, MOST)}…` : sent}</code>`;
const json = (value) => given(JSON.stringify(value));

const seconds = (ms) => `${ms / 1000}\u00A0s`;

/** Named values of a rule; `null` means that there is none. */
const named = (values, text, what) =>
  Object.entries(values).map(([name, value]) =>
    value === null ? [`no ${what} `, given(name)] : [`the ${what} `, given(text(name, value))],
  );
const headersIn = (headers) => named(headers, (name, value) => `${name}: ${value}`, "header");
const queryIn = (query) => named(query, (name, value) => `${name}=${value}`, "parameter");

const delayIn = (ms) => [
  Array.isArray(ms) ? `a delay of ${ms[0] / 1000} to ${seconds(ms[1])}` : `a delay of ${seconds(ms)}`,
];

const BREAKS = {
  body: "a connection that closes in the middle of the body",
  json: "only half of the body",
  connection: "a closed connection instead of a response",
};

const BREAK_OPTIONS = Object.entries({
  "": "no",
  body: "close the connection in the middle of the body",
  json: "end the body after half of it",
  connection: "close the connection before the response",
});

const MOST_MS = 30_000;

/** Fields that the form shows only on demand, those with JSON, and those of JSON that narrow a rule. */
const folded = { isFolded: true };
const jsonField = { isFolded: true, isJson: true };
const matchField = { isFolded: true, isJson: true, neutral: {} };

/**
 * The fields, in the order of the form and of the sentence, by part of the form. `words` are a list of what the sentence
 * says; `sentence` says the rest itself. `neutral` is a value that selects as many requests as no value.
 */
export const PARTS = {
  which: {
    operationId: { label: "Operation", options: [] },
    method: { label: "Method", options: anyOf(["GET", "HEAD", "POST", "PUT", "DELETE"]) },
    path: { label: "Path", hint: "/pet/{petId}" },
    "match.query": { label: "Query as JSON", hint: '{"status": "sold"}', ...matchField, words: queryIn },
    "match.headers": {
      label: "Headers as JSON, null for absent",
      hint: '{"x-test": "1"}',
      ...matchField,
      words: headersIn,
    },
    "match.body": {
      label: "Fields of the body as JSON",
      hint: '{"name": "Rex"}',
      ...matchField,
      words: (body) => [[json(body), " in the body"]],
    },
  },
  what: {
    status: { label: "Status", range: [200, 599], words: (status) => [`a ${status}`] },
    location: { label: "Redirect to", hint: "/pet/2", ...folded, words: (path) => [["a redirect to ", given(path)]] },
    body: { label: "Body, with a status", isLong: true, ...folded, words: (body) => [["the body ", given(body)]] },
    retryAfter: {
      label: "Retry-After in s",
      range: [0, 86_400],
      ...folded,
      words: (value) => [given(`Retry-After: ${value}`)],
    },
    headers: { label: "Headers as JSON, null to remove", hint: '{"x-test": "1"}', ...jsonField, words: headersIn },
    patch: {
      label: "Patch of the body as JSON, null to remove",
      hint: '{"name": null}',
      ...jsonField,
      words: (patch) => [[json(patch), " merged into the body"]],
    },
    delayMs: { label: "Delay in ms", range: [1, MOST_MS], words: delayIn },
    "delayMs.1": { label: "or random, up to", range: [1, MOST_MS] },
    slowMs: {
      label: "Slow body in ms",
      range: [1, MOST_MS],
      ...folded,
      words: (ms) => [`a body that takes ${seconds(ms)} to arrive`],
    },
    break: { label: "Break the response", options: BREAK_OPTIONS, words: (place) => [BREAKS[place]] },
    after: { label: "Perform the request first, then drop its response", isFlag: true },
  },
  often: {
    times: { label: "Times", hint: "empty: always", range: [1, 1_000_000] },
    every: { label: "Every nth request", range: [1, 1_000_000], neutral: 1 },
    chance: { label: "Probability, 0 to 1", range: [0, 1], step: "any", neutral: 1 },
  },
};
export const FIELDS = { ...PARTS.which, ...PARTS.what, ...PARTS.often };

/** Returns the fields of a rule with their values, those of `match` as `match.query`. */
export const valuesOf = ({ match = {}, ...rule }) =>
  [...Object.entries(rule), ...Object.entries(match).map(([name, value]) => [`match.${name}`, value])].filter(
    ([name, value]) => name in FIELDS && value !== undefined,
  );

/** The words for the fields of one part of a rule. */
function clauses(part, rule) {
  const values = Object.fromEntries(valuesOf(rule));
  return Object.entries(PARTS[part]).flatMap(([name, { words }]) =>
    words && name in values ? words(values[name]) : [],
  );
}

/** A list in words, such as “a 503, the header x: 1 and a delay of 3 s”. */
const listed = (parts) =>
  parts.flatMap((part, index) => [index === 0 ? "" : index === parts.length - 1 ? " and " : ", ", part]);

/** Whether a rule does anything. */
export const hasEffect = (rule) => clauses("what", rule).length > 0;

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** A rule in words, such as “The next 3 addPet requests get a 503”. */
export function sentence(rule) {
  const { operationId, method, path, times, every = 1, chance = 1, after } = rule;
  const isNext = times !== undefined && every === 1 && chance === 1;
  const isMany = isNext && times > 1;
  const nth = every > 1 ? ` ${every}${ENDINGS[ordinals.select(every)]}` : "";
  const target = [operationId, method, path].filter(Boolean).join(" ");
  const conditions = clauses("which", rule);
  return [
    isNext ? `The next${isMany ? ` ${times}` : ""} ` : `Every${nth} `,
    target ? [given(target), " "] : "",
    isMany ? "requests" : "request",
    conditions.length > 0 ? [" with ", listed(conditions)] : "",
    after ? (isMany ? " are performed, but" : " is performed, but") : "",
    isMany ? " get " : " gets ",
    listed(clauses("what", rule)),
    chance < 1 ? `, with a probability of ${Number((chance * 100).toFixed(2))}%` : "",
    times !== undefined && !isNext ? `, at most ${times === 1 ? "once" : `${times} times`}` : "",
  ];
}

/** The fields that `includes` compares. */
const COMPARED = new Set(["operationId", "method", "path"]);

/** Whether a rule is used for every request of its operation, method, and path. */
const isUnlimited = (rule) =>
  valuesOf(rule).every(
    ([name, value]) =>
      name in PARTS.what || COMPARED.has(name) || JSON.stringify(value) === JSON.stringify(FIELDS[name].neutral),
  );

/** Whether a path as in the documents, such as `/pet/{petId}`, matches a literal path that is not itself in the documents. */
const isTemplateOf = (template, path, operations) =>
  !operations.some((each) => each.path === path) &&
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);

/** Whether the operation, method, and path of a rule match every request that those of another rule match. */
function includes(wide, narrow, operations) {
  const operation = operations.find(({ operationId }) => operationId === narrow.operationId) ?? narrow;
  const isMethod =
    [undefined, narrow.method, operation.method].includes(wide.method) ||
    (wide.method === "GET" && narrow.method === "HEAD");
  const isPath =
    [undefined, narrow.path, operation.path].includes(wide.path) ||
    (narrow.path !== undefined && isTemplateOf(wide.path, narrow.path, operations));
  // Without an operation, a rule leaves the management over MCP alone.
  const isOperation =
    wide.operationId === narrow.operationId || (wide.operationId === undefined && narrow.operationId !== "manageMcp");
  return isOperation && isMethod && isPath;
}

/** Whether a rule keeps another one behind it from applying. If in doubt, it does not. */
export const covers = (rule, other, operations) => isUnlimited(rule) && includes(rule, other, operations);
