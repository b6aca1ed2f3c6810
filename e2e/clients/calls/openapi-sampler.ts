// Sends a request for each operation of a document, in its order. Bodies come from openapi-sampler, which reads schemas only,
// and parameters from their examples. BASE is the URL of the API, or of a proxy in front of it.
import { readFileSync } from "node:fs";
import { sample } from "openapi-sampler";

interface Parameter {
  readonly name: string;
  readonly in: string;
  /** False: commas separate the items of a list. */
  readonly explode?: boolean;
  readonly example?: unknown;
  readonly "x-example"?: unknown;
  readonly schema?: object;
}

interface Operation {
  readonly operationId: string;
  readonly consumes?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const BASE = process.env["BASE"] ?? "";
const document = JSON.parse(readFileSync(process.env["DOCUMENT"] ?? "", "utf8")) as Document;
const FILE = new File(["hello"], "hello.txt");

/** Returns the body of a request, if there is one. Only the test can provide a file. */
function bodyOf({ operationId, consumes = [], parameters = [], requestBody }: Operation): BodyInit | undefined {
  const fields = parameters.filter((each) => each.in === "formData");
  const [[mediaType, { schema }] = ["", { schema: undefined }]] = Object.entries(requestBody?.content ?? {});
  const type = consumes[0] ?? mediaType;
  if (operationId === "uploadFile") {
    if (type !== "multipart/form-data") return new Blob([FILE], { type });
    const form = new FormData();
    form.set("file", FILE);
    return form;
  }
  const model = schema ?? parameters.find((each) => each.in === "body")?.schema;
  if (model && type !== "application/x-www-form-urlencoded") {
    return new Blob([JSON.stringify(sample(model, {}, document))], { type: "application/json" });
  }
  const values = model
    ? sample(model, {}, document)
    : Object.fromEntries(fields.map((field) => [field.name, field["x-example"]]));
  return model || fields.length > 0 ? new URLSearchParams(values as Record<string, string>) : undefined;
}

/** Returns the path and the query with the examples of the parameters. */
function targetOf(path: string, { parameters = [] }: Operation, values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: where, explode, example, "x-example": shown = example } of parameters) {
    const value = values[name] ?? String(shown);
    const items = Array.isArray(shown) && explode !== false ? shown : [value];
    if (where === "query") items.forEach((item) => query.append(name, String(item)));
    if (where === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
  }
  return query.size > 0 ? `${target}?${query}` : target;
}

const rejected: string[] = [];
let sent = 0;
for (const [path, item] of Object.entries(document.paths)) {
  for (const [method, operation] of Object.entries(item)) {
    const values: Record<string, string> = {};
    if (operation.operationId === "getPetImage") {
      // The service chooses the name of an uploaded file.
      const pet = (await (await fetch(`${BASE}/pet/1`)).json()) as { readonly photoUrls: readonly string[] };
      values["name"] = pet.photoUrls.at(-1)?.split("/").at(-1) ?? "";
    }
    const body = bodyOf(operation);
    const target = targetOf(path, operation, values);
    const response = await fetch(BASE + target, { method: method.toUpperCase(), ...(body && { body }) });
    sent++;
    if (response.ok) continue;
    const messages = [...(await response.text()).matchAll(/"message":"([^"]*)"/g)].map(([, message]) => message);
    rejected.push(`${method.toUpperCase()} ${target}: ${response.status} ${messages.join(", ")}`);
  }
}
console.log(JSON.stringify({ sent, rejected }));
