// A rule in words. A new field of rules is added here, in fields.js, and, if it selects requests outside `match`, in faults.js.

import { html } from "../../docs/vendor/lit-html.js";

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

const header = (name, value) => `${name}: ${value}`;

const BREAKS = {
  body: "a connection that closes in the middle of the body",
  json: "only half of the body",
  connection: "a closed connection instead of a response",
};

/** What each field says about the response, in the order of the sentence. */
const EFFECTS = {
  status: (status) => [`a ${status}`],
  location: (path) => [["a redirect to ", given(path)]],
  body: (body) => [["the body ", given(body)]],
  retryAfter: (value) => [given(header("Retry-After", value))],
  headers: (headers) => named(headers, header, "header"),
  patch: (patch) => [[json(patch), " merged into the body"]],
  delayMs: (ms) => [
    Array.isArray(ms) ? `a delay of ${ms[0] / 1000} to ${seconds(ms[1])}` : `a delay of ${seconds(ms)}`,
  ],
  slowMs: (ms) => [`a body that takes ${seconds(ms)} to arrive`],
  break: (place) => [BREAKS[place]],
};

/** What each field of `match` says about the request. */
const MATCHES = {
  query: (query) => named(query, (name, value) => `${name}=${value}`, "parameter"),
  headers: (headers) => named(headers, header, "header"),
  body: (body) => [[json(body), " in the body"]],
};

const clauses = (words, rule) =>
  Object.entries(words).flatMap(([field, say]) => (rule[field] === undefined ? [] : say(rule[field])));

/** A list in words, such as “a 503, the header x: 1 and a delay of 3 s”. */
const listed = (parts) =>
  parts.flatMap((part, index) => [index === 0 ? "" : index === parts.length - 1 ? " and " : ", ", part]);

/** Whether a rule does anything. */
export const hasEffect = (rule) => clauses(EFFECTS, rule).length > 0;

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const ordinals = new Intl.PluralRules("en", { type: "ordinal" });

/** A rule in words, such as “The next 3 addPet requests get a 503”. */
export function sentence(rule) {
  const { operationId, method, path, match = {}, times, every = 1, chance = 1, after } = rule;
  const isNext = times !== undefined && every === 1 && chance === 1;
  const isMany = isNext && times > 1;
  const nth = every > 1 ? ` ${every}${ENDINGS[ordinals.select(every)]}` : "";
  const target = [operationId, method, path].filter(Boolean).join(" ");
  const conditions = clauses(MATCHES, match);
  return [
    isNext ? `The next${isMany ? ` ${times}` : ""} ` : `Every${nth} `,
    target ? [given(target), " "] : "",
    isMany ? "requests" : "request",
    conditions.length > 0 ? [" with ", listed(conditions)] : "",
    after ? (isMany ? " are performed, but" : " is performed, but") : "",
    isMany ? " get " : " gets ",
    listed(clauses(EFFECTS, rule)),
    chance < 1 ? `, with a probability of ${Number((chance * 100).toFixed(2))}%` : "",
    times !== undefined && !isNext ? `, at most ${times === 1 ? "once" : `${times} times`}` : "",
  ];
}
