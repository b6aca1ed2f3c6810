// What rules do, and what they did to an answer, in words.
import { html } from "../../docs/vendor/lit-html.js";

/** The most characters of a body, a patch or a header in a sentence. */
const MOST = 60;

const ENDINGS = { one: "st", two: "nd", few: "rd", other: "th" };
const plural = new Intl.PluralRules("en", { type: "ordinal" });
const ordinal = (number) => `${number}${ENDINGS[plural.select(number)]}`;

/** Text from outside, shortened. */
const quoted = (text) => html`<bdi>${text.length > MOST ? `${text.slice(0, MOST)}…` : text}</bdi>`;

/** What happens if none of these members is there: nothing. */
const EFFECTS = ["status", "delayMs", "break", "headers", "patch", "bytesPerSecond"];

export const hasEffect = (rule) => EFFECTS.some((name) => rule[name] !== undefined);

const BREAKS = { body: "cut off in the middle of the body", json: "only half of the body" };

/** Members that the beginning of a sentence says, and counts. */
const ELSEWHERE = new Set("operationId method path times every chance used met left".split(" "));

/** The requests that a rule is for. */
function requestsOf({ operationId, method, path, times, every = 1, chance = 1 }) {
  const who = [operationId, method, path].filter(Boolean).join(" ");
  const isNext = times && every === 1 && chance === 1;
  const which = isNext ? "The next" : "Every";
  const number = isNext && times > 1 ? times : every > 1 ? ordinal(every) : "";
  const limits = [
    chance < 1 && `with a chance of ${Number((chance * 100).toFixed(2))} %`,
    times && !isNext && (times === 1 ? "once" : `${times} times`),
  ].filter(Boolean);
  const requests = number === times ? "requests" : "request";
  return html`${which} ${number}
  ${who ? html`<code>${who}</code>` : requests}${limits.map((limit) => `, ${limit}`)}`;
}

/** What a rule does to an answer. A member that is not here shows as it is. */
function effectOf({ status, after, body, retryAfter, headers, patch, delayMs, ...rest }) {
  const { bytesPerSecond, break: cut, ...others } = rest;
  const done = /^(?:add|create|place|update|upload)/.test(rest.operationId) ? "stored" : "done";
  return [
    status,
    after && `after it is ${done}`,
    body && html`with the body ${quoted(body)}`,
    (body ?? (status < 400 ? "" : undefined)) === "" && "with no body",
    retryAfter !== undefined && `with retry-after: ${retryAfter}`,
    ...Object.entries(headers ?? {}).map(([name, value]) =>
      value === null ? `without ${name}` : html`with ${name}: ${quoted(value)}`,
    ),
    patch && html`with ${quoted(JSON.stringify(patch))} merged in`,
    delayMs && `${[delayMs].flat().join(" to ")} ms late`,
    bytesPerSecond && `at ${bytesPerSecond} bytes per second`,
    BREAKS[cut],
    ...Object.entries(others).map(
      ([name, value]) => !ELSEWHERE.has(name) && `${name}: ${JSON.stringify(value)}`,
    ),
  ]
    .filter(Boolean)
    .map((effect, index) => [index > 0 ? ", " : "", effect]);
}

/** What a rule does, as a sentence. */
export const sentenceOf = (rule) => html`${requestsOf(rule)} → ${effectOf(rule)}`;

/** What may have been done to an answer: the mark in the list, and the words beside the open request. */
const DEEDS = [
  ["cut off", "The connection ended after the body that you see.", (it) => it.broken === "body"],
  ["cut off", "The body ended cleanly where you see it end.", (it) => it.broken === "json"],
  ["replaced", "This answer was sent in place of the real one.", (it) => it.replaced],
  ["patched", "A patch changed the body.", (it) => it.patched],
  ["headers", "Headers were changed.", (it) => it.rule?.headers],
  ["slowed", "The body was sent slowly.", (it) => it.slowed],
  ["late", "The answer was delayed.", (it) => it.rule?.delayMs],
];

/** What was done to the answer of a request: pairs of mark and words. */
export const deedsOf = (entry) => DEEDS.filter(([, , isDone]) => isDone(entry));
