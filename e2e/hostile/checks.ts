// Checks of every answer to a hostile request.
import type { HostileCase } from "./case.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Headers of every answer (src/http/respond.ts). */
const EVERY_ANSWER: readonly (readonly [name: string, value: RegExp])[] = [
  ["x-request-id", /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["x-content-type-options", /^nosniff$/],
  ["content-security-policy", /^default-src 'none'; frame-ancestors 'none'(?:; sandbox)?$/],
  ["cache-control", /^(?:private, no-cache|no-store)(?:, no-transform)?$/],
  ["access-control-allow-origin", /^\*$/],
];

/** Internal names that no answer may show: libraries, tables, settings and files. */
const INTERNAL = [
  /D1_|SQL|constraint/i,
  /drizzle|valibot|hono|workerd|miniflare|wrangler/i,
  /PASSWORD_KEY|API_KEY/,
  /pet_tags|id_sequences|sealedPassword|credentialId/,
  /\b(?:Type|Syntax|Range|Reference)Error\b|Unexpected token|\bundefined\b/,
  /^\s*at /m,
  /\.[cm]?[jt]s\b|node_modules|\/src\//,
];

/** @returns what is wrong with an answer */
export function faultsOf(answer: Answer, expected: HostileCase): string[] {
  const { status, headers, body } = answer;
  const { shows, hides, path } = expected;
  const faults = headerFaults(answer);
  if (shows !== undefined && !body.includes(shows)) faults.push(`the body does not show ${shows}`);
  if (hides !== undefined && body.includes(hides)) faults.push(`the body shows ${hides}`);
  for (const name of INTERNAL) {
    if (name.test(body)) faults.push(`the body shows an internal name: ${name.exec(body)?.[0]}`);
  }
  if (status === 405 && !headers.get("allow")) faults.push("405 without Allow");
  if (status >= 400) faults.push(...errorFaults(answer, path));
  return faults;
}

function headerFaults({ headers, body }: Answer): string[] {
  const faults = EVERY_ANSWER.filter(([name, value]) => !value.test(headers.get(name) ?? "")).map(
    ([name]) => `${name}: ${headers.get(name) ?? "is missing"}`,
  );
  // Nobody logs in here, so only a client could have set a cookie. Clearing it is fine.
  const cookie = headers.get("set-cookie") ?? "session=;";
  if (!cookie.startsWith("session=;")) faults.push(`set-cookie: ${cookie}`);
  const type = headers.get("content-type");
  if (body !== "" && type !== "application/json" && !type?.startsWith("image/")) {
    faults.push(`content-type: ${type}`);
  }
  return faults;
}

/** The form of all errors (interface §2.9). */
const ERROR =
  /^\{"code":(\d{3}),"type":"error","message":"[^"]+"(,"errors":\[(,?\{"path":"[^"]+","message":"([^"\\]|\\.)+"\})+\])?\}$/;

function errorFaults({ status, headers, body }: Answer, path: string | undefined): string[] {
  if (headers.get("content-type") !== "application/json") return ["the error is not JSON"];
  if (ERROR.exec(body)?.[1] !== String(status)) return [`not an error of this status: ${body}`];
  return path === undefined || body.includes(`{"path":"${path}",`)
    ? []
    : [`${path} is not among the errors`];
}
