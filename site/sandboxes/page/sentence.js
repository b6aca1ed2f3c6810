import { html } from "../../docs/vendor/lit-html.js";

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
