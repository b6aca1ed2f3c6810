import { Validator, type Schema } from "@cfworker/json-schema";
import { env } from "cloudflare:workers";

interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
}

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, Stated> }>>;
  readonly components: { readonly headers: Readonly<Record<string, Header>> };
}

/** What a document says of an answer. */
interface Stated {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

/** The documents by the base path of their interface. */
const documents = new Map<string, Document>();

async function documentOf(base: string): Promise<Document> {
  const known = documents.get(base);
  if (known) return known;
  const asset = base === "/v2" ? "/documents/v2/openapi.json" : "/documents/v3/openapi.json";
  const text = await (await env.ASSETS.fetch(`http://assets${asset}`)).text();
  // Petstore 3 calls a shipDate a `date-time`, which has seconds and a zone. Ours may leave them out.
  const document = JSON.parse(text.replaceAll('"date-time"', '"text"')) as Document;
  documents.set(base, document);
  return document;
}

/** The operations of a path. Fixed paths win against patterns, as in the service. */
function operationsOf({ paths }: Document, path: string) {
  const matching = Object.keys(paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`).test(path),
  );
  const template = matching.find((each) => !each.includes("{")) ?? matching[0];
  return template === undefined ? undefined : paths[template];
}

/** Fails if the document of its interface does not describe the answer: another status, type or body, or a missing header. */
export async function checkAgainstDocument(method: string, path: string, response: Response): Promise<void> {
  const [, base, below] = /^(?:\/sandboxes\/[^/]+)?(\/v2|\/api\/v3)(\/.+)$/.exec(path) ?? [];
  if (base === undefined || below === undefined) return;
  const document = await documentOf(base);
  const operation = operationsOf(document, below)?.[(method === "HEAD" ? "GET" : method).toLowerCase()];
  // The documents do not describe sandboxes: any request to one that does not exist is 404.
  if (!operation || (response.status === 404 && path.startsWith("/sandboxes/"))) return;
  const answer = `${method} ${path} answered ${response.status}`;
  const stated = operation.responses[response.status] ?? operation.responses["default"];
  if (!stated) throw new Error(`${answer}, which its document does not have`);
  const { headers = {}, content } = stated;
  for (const [name, { $ref = "", required }] of Object.entries(headers)) {
    const shared = document.components.headers[$ref.replace("#/components/headers/", "")];
    // An answer to HEAD may leave out what only its body's answer has, such as the cookie of a login.
    if (method !== "HEAD" && (shared?.required ?? required) && !response.headers.has(name))
      throw new Error(`${answer} without the header ${name}`);
  }
  if (method === "HEAD" || response.status === 304) return;
  const type = response.headers.get("content-type")?.replace(/;.*/, "");
  if (!content) {
    if (type !== undefined) throw new Error(`${answer} with ${type}, but its document has no body`);
    return;
  }
  const media = type === undefined ? undefined : content[type];
  if (!media) throw new Error(`${answer} with ${type}, but its document has ${Object.keys(content).join(", ")}`);
  if (!media.schema || type !== "application/json") return;
  // References point into the whole document.
  const schema = { ...media.schema, components: document.components } as Schema;
  const { errors } = new Validator(schema, "2020-12", false).validate(await response.json());
  if (errors.length > 0) throw new Error(`${answer} with a body off its schema: ${JSON.stringify(errors)}`);
}
