import { Validator, type Schema } from "@cfworker/json-schema";
import { env } from "cloudflare:workers";

/** The content of a response for one media type. */
interface Media {
  readonly schema?: Schema;
}

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, DocumentedResponse> }>>;
  readonly components: object;
}

interface DocumentedResponse {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** A document with the paths that it describes. Fixed paths come before templates, as in the service. */
interface Parsed extends Document {
  readonly operations: readonly (readonly [path: RegExp, Document["paths"][string]])[];
}

/** The documents by the base path of their API. */
const documents = new Map<string, Parsed>();

async function getDocument(base: string): Promise<Parsed> {
  const known = documents.get(base);
  if (known) return known;
  const asset = base === "/v2" ? "/documents/v2/openapi.json" : "/documents/v3/openapi.json";
  const text = await (await env.ASSETS.fetch(`http://assets${asset}`)).text();
  // Petstore 3 declares `shipDate` as a `date-time`, which has seconds and a time zone. Both are optional here.
  const document = JSON.parse(text.replaceAll('"date-time"', '"text"')) as Document;
  const templates = Object.keys(document.paths).toSorted((a, b) => Number(a.includes("{")) - Number(b.includes("{")));
  const operations = templates.map((template) => {
    const path = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`);
    return [path, document.paths[template] ?? {}] as const;
  });
  const parsed = { ...document, operations };
  documents.set(base, parsed);
  return parsed;
}

/** A validator takes longer to create than most responses take to validate. */
const validators = new WeakMap<Media, Validator>();

function validatorFor(media: Media, schema: Schema, { components }: Document): Validator {
  const known = validators.get(media);
  if (known) return known;
  // References point into the whole document.
  const validator = new Validator({ ...schema, components }, "2020-12", false);
  validators.set(media, validator);
  return validator;
}

/** Checks a copy of a response against the document of its API. @throws Error if the status, the type, the body, or a header differs */
export async function checkAgainstDocument(method: string, path: string, response: Response): Promise<void> {
  const [, base, below] = /^(?:\/sandboxes\/[^/]+)?(\/v2|\/api\/v3)(\/.+)$/.exec(path) ?? [];
  if (base === undefined || below === undefined) return;
  const document = await getDocument(base);
  const [, item = {}] = document.operations.find(([template]) => template.test(below)) ?? [];
  const operation = item[(method === "HEAD" ? "GET" : method).toLowerCase()];
  // The documents do not describe sandboxes: any request to a nonexistent sandbox returns 404.
  if (!operation || (response.status === 404 && path.startsWith("/sandboxes/"))) return;
  const received = `${method} ${path} returned ${response.status}`;
  const documented = operation.responses[response.status] ?? operation.responses["default"];
  if (!documented) throw new Error(`${received}, which is not in its document`);
  const { headers = {}, content } = documented;
  for (const name of Object.keys(headers)) {
    // A response to HEAD can omit headers that depend on the body, such as the cookie of a login.
    if (method !== "HEAD" && !response.headers.has(name)) throw new Error(`${received} without the header ${name}`);
  }
  if (method === "HEAD" || response.status === 304) return;
  const type = response.headers.get("content-type")?.replace(/;.*/, "");
  if (!content) {
    if (type !== undefined) throw new Error(`${received} with ${type}, but its document has no body`);
    return;
  }
  const media = type === undefined ? undefined : content[type];
  if (!media) throw new Error(`${received} with ${type}, but its document has ${Object.keys(content).join(", ")}`);
  if (!media.schema || type !== "application/json") return;
  const { errors } = validatorFor(media, media.schema, document).validate(await response.clone().json());
  if (errors.length > 0) throw new Error(`${received} with a body that does not match: ${JSON.stringify(errors)}`);
}
