import { Validator } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import type { Answer } from "./client.ts";
import { documentOf } from "./openapi.ts";
import type { InterfaceDocument, OperationObject } from "./openapi.ts";
import { words } from "./spellings.ts";

/** A document that answers are compared with. */
class Held {
  readonly components: InterfaceDocument["components"];
  readonly paths: readonly {
    readonly pattern: RegExp;
    readonly template: string;
    readonly item: Readonly<Record<string, OperationObject>>;
  }[];
  readonly #validators = new Map<object, Validator>();

  constructor({ paths, components }: InterfaceDocument) {
    this.components = components;
    this.paths = Object.entries(paths)
      .map(([template, item]) => ({
        pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
        template,
        item,
      }))
      // Fixed paths match before patterns, as in the service.
      .toSorted(
        (one, other) => Number(/\{/.test(one.template)) - Number(/\{/.test(other.template)),
      );
  }

  validatorOf(schema: object): Validator {
    let validator = this.#validators.get(schema);
    if (!validator) {
      const whole: Schema = { ...schema, components: this.components };
      // References point into the whole document.
      validator = new Validator(whole, "2020-12", false);
      this.#validators.set(schema, validator);
    }
    return validator;
  }
}

/**
 * The document of a sandbox with protected access. The service does not serve it, but answers must match it. A sandbox has
 * no replicas and so no bookmarks, and any write may find it full (interface §10.5).
 */
function ofSandbox(document: InterfaceDocument): InterfaceDocument {
  const paths = structuredClone(document.paths);
  for (const item of Object.values(paths)) {
    for (const [method, { responses }] of Object.entries(item)) {
      for (const { headers = {} } of Object.values(responses))
        Reflect.deleteProperty(headers, "x-d1-bookmark");
      const { content = {} } = responses["503"] ?? {};
      if (method !== "get") Object.assign(responses, { 507: { content } });
    }
  }
  return { ...document, paths };
}

/** The document of Petstore 3 calls a date without a zone a date-time, as Petstore does (docs/clients.md). */
const withoutZones = (document: InterfaceDocument) =>
  JSON.parse(JSON.stringify(document), (name, value: unknown) =>
    name === "format" && value === "date-time" ? undefined : value,
  ) as InterfaceDocument;

/** What decides how a service answers. */
export interface Served {
  /** Its setting `ACCESS`. */
  readonly access: string | undefined;
  /** The base path of its interface. */
  readonly basePath: string;
  /** Whether it answers for a sandbox. */
  readonly isSandbox: boolean;
}

const made = new Map<string, Held>();

function heldOf({ access, basePath, isSandbox }: Served): Held {
  const isProtected = access === "protected";
  const key = JSON.stringify([isProtected, basePath, isSandbox]);
  let held = made.get(key);
  if (!held) {
    const path = `${basePath}/openapi.json`.slice(1);
    const shared = documentOf(isProtected ? "protected" : "open", path);
    const ofOwn = isProtected ? ofSandbox(shared) : documentOf("sandbox", path);
    held = new Held(withoutZones(isSandbox ? ofOwn : shared));
    made.set(key, held);
  }
  return held;
}

/** Headers that an answer has only if the document says so. */
const STATED_HEADERS = words(
  "accept accept-encoding accept-ranges allow content-disposition content-location content-range etag link retry-after set-cookie www-authenticate x-d1-bookmark x-expires-after x-rate-limit",
);

/**
 * Fails if an answer does not match the document: another status, another media type, a body that does not match its
 * schema, or a header that is missing or not stated.
 * @param path below the base path
 */
export function assertDocumented(
  method: string,
  path: string,
  answer: Answer,
  served: Served,
): void {
  const document = heldOf(served);
  const [pathname = ""] = path.split("?");
  const operation = document.paths.find(({ pattern }) => pattern.test(pathname))?.item[
    (method === "HEAD" ? "GET" : method).toLowerCase()
  ];
  if (!operation) return;
  const where = `${method} ${path} answered ${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (!response) throw new Error(`${where}, which the document does not have`);
  for (const [name, stated] of Object.entries(response.headers ?? {})) {
    const { headers } = document.components;
    const header = "$ref" in stated ? headers[stated.$ref.split("/").at(-1) ?? ""] : stated;
    if (header?.required && !answer.headers.has(name))
      throw new Error(`${where} without the header ${name}`);
  }
  const stated = new Set(Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()));
  const unstated = STATED_HEADERS.filter((name) => answer.headers.has(name) && !stated.has(name));
  if (unstated.length > 0) {
    throw new Error(`${where} with ${unstated.join(", ")}, which the document does not have`);
  }
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
  if (!response.content) {
    if (type || answer.text)
      throw new Error(`${where} with content, which the document does not have`);
    return;
  }
  if (method === "HEAD" || answer.status === 304) return;
  const content = response.content[type];
  if (!content)
    throw new Error(`${where} with the type "${type}", which the document does not have`);
  if (!content.schema || content.schema.format === "binary") return;
  const { valid, errors } = document
    .validatorOf(content.schema)
    .validate(type === "application/json" ? answer.json : answer.text);
  if (!valid)
    throw new Error(`${where} with a body off its schema: ${JSON.stringify(errors.slice(0, 5))}`);
}
