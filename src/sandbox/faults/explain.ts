import type { Effect, FaultRule } from "./contract.ts";
import type { Deeds } from "./delivery.ts";

// What rules do, in words: for the record, and for the page of a sandbox. scripts/site.ts copies this file without its
// types to the page, so it imports only types.

/** A part of a sentence: our words, or a text that a client sent. */
export type Part = string | { readonly given: string };

/** The most characters of a text that a client sent. */
const MOST = 60;

const given = (text: string): Part => ({
  given: text.length > MOST ? `${text.slice(0, MOST)}…` : text,
});

/** What each effect says of the answer, in the order of the sentence. */
const CLAUSES: {
  readonly [Name in Effect]: (value: NonNullable<FaultRule[Name]>, rule: FaultRule) => Part[][];
} = {
  status: (status, { after, retryAfter, body = status < 400 ? "" : undefined }) => [
    [`is ${status}${after ? " after the request is done" : ""}`],
    ...(body === undefined ? [] : [body ? ["has the body ", given(body)] : ["has no body"]]),
    ...(retryAfter === undefined ? [] : [[`asks to retry after ${retryAfter} s`]]),
  ],
  headers: (headers) =>
    Object.entries(headers).map(([name, value]) =>
      value === null
        ? ["has no header ", given(name)]
        : ["has the header ", given(`${name}: ${value}`)],
    ),
  patch: (patch) => [["has ", given(JSON.stringify(patch)), " merged into its body"]],
  delayMs: (delay) => [[`comes ${[delay].flat().join(" to ")} ms late`]],
  bytesPerSecond: (rate) => [[`leaves at ${rate} bytes per second`]],
  break: (place) => [
    [place === "body" ? "breaks off in the middle of its body" : "ends after half of its body"],
  ],
};
// `Object.keys` forgets which names there are.
const EFFECTS = Object.keys(CLAUSES) as Effect[];

/** Whether a rule does anything. */
export const hasEffect = (rule: FaultRule): boolean =>
  EFFECTS.some((name) => rule[name] !== undefined);

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it relates the value to its clause
const clausesOf = <Name extends Effect>(name: Name, rule: FaultRule) => {
  const value = rule[name];
  return value === undefined ? [] : CLAUSES[name](value, rule);
};

const ENDINGS: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" };

function ordinal(number: number): string {
  const rules = new Intl.PluralRules("en", { type: "ordinal" });
  return `${number}${ENDINGS[rules.select(number)] ?? "th"}`;
}

/** The requests that a rule is for. */
function requestsOf({ operationId, method, path, times, every = 1, chance = 1, seed }: FaultRule) {
  const target = [operationId, method, path].filter(Boolean).join(" ");
  const isNext = times !== undefined && every === 1 && chance === 1;
  const limits = [
    times !== undefined && !isNext && (times === 1 ? "once" : `up to ${times} times`),
    chance < 1 && `with a chance of ${Number((chance * 100).toFixed(2))} %`,
    seed !== undefined && `drawn with seed ${seed}`,
  ].filter((limit) => limit !== false);
  const start = [...limits, "the answer to "].join(", ");
  const next = times === 1 ? "the next " : `each of the next ${times} `;
  const which = isNext ? next : `every ${every === 1 ? "" : `${ordinal(every)} `}`;
  return [
    start.charAt(0).toUpperCase() + start.slice(1) + which,
    ...(target ? [given(target), " "] : []),
    isNext && times > 1 ? "requests " : "request ",
  ];
}

/** What a rule does, as a sentence. */
export function explain(rule: FaultRule): Part[] {
  const clauses = EFFECTS.flatMap((name) => clausesOf(name, rule));
  const said = clauses.flatMap((clause, index) => {
    const last = index === clauses.length - 1 ? " and " : ", ";
    return index === 0 ? clause : [last, ...clause];
  });
  return [...requestsOf(rule), ...said, "."];
}

/** A sentence as plain text. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === "string" ? part : part.given)).join("");

/** A recorded request, as far as it says what was done to its answer. */
interface Answered extends Deeds {
  readonly rule?: FaultRule;
}

/** What may have been done to an answer: in a word, and as a sentence. */
const DEEDS: readonly (readonly [
  mark: string,
  sentence: string,
  isDone: (answered: Answered) => unknown,
])[] = [
  ["cut off", "The connection ended after the body that you see.", (it) => it.broken === "body"],
  ["cut off", "The body ended cleanly where you see it end.", (it) => it.broken === "json"],
  ["replaced", "This answer was sent in place of the real one.", (it) => it.replaced],
  ["patched", "A patch changed the body.", (it) => it.patched],
  ["headers", "Headers were changed.", (it) => it.rule?.headers],
  ["slowed", "The body was sent slowly.", (it) => it.slowed],
  ["late", "The answer was delayed.", (it) => it.rule?.delayMs],
];

/** What was done to an answer. */
export const deedsOf = (answered: Answered) => DEEDS.filter(([, , isDone]) => isDone(answered));
