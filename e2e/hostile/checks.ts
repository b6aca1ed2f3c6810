// Checks that apply to every answer to a hostile request.
import type { HostileCase } from "./case.ts";
import type { Answer } from "./connection.ts";

/** Headers that every answer of the service carries (src/http/respond.ts), and what they hold. */
const EVERY_ANSWER: readonly (readonly [name: string, value: RegExp])[] = [
  ["x-request-id", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["x-content-type-options", /^nosniff$/],
  ["content-security-policy", /^default-src 'none'; frame-ancestors 'none'(?:; sandbox)?$/],
  ["cache-control", /^(?:private, no-cache|no-store)(?:, no-transform)?$/],
  ["access-control-allow-origin", /^\*$/],
];

/** Internal names that no answer may show: of libraries, tables, settings and files. */
const INTERNAL = [
  /D1_|SQL|constraint/i,
  /drizzle|valibot|hono|workerd|miniflare|wrangler/i,
  /PASSWORD_KEY|API_KEY/,
  /pet_tags|id_sequences|id_ranges|sealedPassword|credentialId/,
  /\b(?:Type|Syntax|Range|Reference)Error\b|Unexpected token|\bundefined\b/,
  /^\s*at /m,
  /\.[cm]?[jt]s\b|node_modules|\/src\//,
];

/** @returns what is wrong with an answer of the service */
export function faultsOf(answer: Answer, expected: HostileCase, isHead: boolean): string[] {
  const { status, headers, body } = answer;
  const faults = [...valueFaults(answer, expected), ...headerFaults(answer)];
  for (const name of INTERNAL) {
    if (name.test(body)) faults.push(`the body shows an internal name: ${name.exec(body)?.[0]}`);
  }
  if (status >= 500) faults.push("the service answered with a fault of its own");
  if (status === 405 && !headers.get("allow")) faults.push("405 without Allow");
  if (status >= 400 && !isHead) faults.push(...errorFaults(answer, expected.path));
  return faults;
}

/** @returns where an answer of anyone is not the expected one */
export function valueFaults({ status, body }: Answer, expected: HostileCase): string[] {
  const { shows, hides } = expected;
  const faults: string[] = [];
  if (status !== expected.status) faults.push(`status ${status} instead of ${expected.status}`);
  if (shows !== undefined && !body.includes(shows)) faults.push(`the body does not show ${shows}`);
  if (hides !== undefined && body.includes(hides)) faults.push(`the body shows ${hides}`);
  return faults;
}

function headerFaults({ headers, body }: Answer): string[] {
  const faults = EVERY_ANSWER.filter(([name, value]) => !value.test(headers.get(name) ?? "")).map(
    ([name]) => `${name}: ${headers.get(name) ?? "is missing"}`,
  );
  // Nobody logs in here: a cookie that is set, rather than cleared, was put there by a client.
  const cookie = headers.get("set-cookie") ?? "session=;";
  if (!cookie.startsWith("session=;")) faults.push(`set-cookie: ${cookie}`);
  const type = headers.get("content-type");
  if (body !== "" && type !== "application/json" && !type?.startsWith("image/")) {
    faults.push(`content-type: ${type}`);
  }
  return faults;
}

/** The one shape of errors (interface §2.9). */
const ERROR =
  /^\{"code":(\d{3}),"type":"error","message":"[^"]+"(,"errors":\[(,?\{"path":"[^"]+","message":"([^"\\]|\\.)+"\})+\])?\}$/;

function errorFaults({ status, headers, body }: Answer, path: string | undefined): string[] {
  if (headers.get("content-type") !== "application/json") return ["the error is no JSON"];
  if (ERROR.exec(body)?.[1] !== String(status)) return [`no error of this status: ${body}`];
  return path === undefined || body.includes(`{"path":"${path}",`) ? [] : [`${path} is not named`];
}
