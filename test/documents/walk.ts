// Sends the requests that a document shows: in the tests, in the smoke test, and as a tool that reads only schemas.
import { findJsonBody, listOperations, type Document, type Operation, type Schema } from "./operations.ts";

/** A request without the base URL of its API. */
interface ExampleRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: Blob | FormData | URLSearchParams;
}

interface Walk {
  readonly document: Document;
  readonly send: (request: ExampleRequest, operation: Operation) => Promise<Response>;
  /** Returns the body that the client sends. @param example the example beside the schema */
  readonly bodyFor: (schema: Schema, example: unknown) => unknown;
  /** Replace the examples of parameters. They can change during the walk. */
  readonly values?: Record<string, unknown>;
}

/** The signature of a PNG file, the only part that the service examines. */
export const PNG = new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)], "rex.png", {
  type: "image/png",
});

/** Returns the path and the query of an operation. */
function targetOf({ path, parameters = [] }: Operation, values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  let target = path;
  for (const { name, in: where, explode, example, "x-example": shown = example } of parameters) {
    const value = values[name] ?? shown;
    const items = Array.isArray(value) && explode !== false ? value : [value];
    if (where === "query") items.forEach((item) => query.append(name, String(item)));
    if (where === "path") target = target.replace(`{${name}}`, encodeURIComponent(String(value)));
  }
  return query.size > 0 ? `${target}?${query.toString()}` : target;
}

function bodyOf(operation: Operation, bodyFor: Walk["bodyFor"]): ExampleRequest["body"] {
  const { operationId, consumes, parameters = [], requestBody } = operation;
  if (operationId === "uploadFile") {
    const type = consumes?.[0] ?? Object.keys(requestBody?.content ?? {})[0] ?? "";
    if (type !== "multipart/form-data") return new Blob([PNG], { type });
    const form = new FormData();
    form.set("file", PNG);
    return form;
  }
  const json = findJsonBody(operation);
  if (json) return new Blob([JSON.stringify(bodyFor(json.schema, json.example))], { type: "application/json" });
  const form = requestBody?.content["application/x-www-form-urlencoded"];
  const fields = parameters.filter((each) => each.in === "formData");
  if (!form && fields.length === 0) return undefined;
  const values = form
    ? bodyFor(form.schema, form.examples?.example.value)
    : Object.fromEntries(fields.map((field) => [field.name, field["x-example"]]));
  return new URLSearchParams(values as Record<string, string>);
}

/** Sends the request of each operation, in the order of the document. */
export async function* walk({ document, send, bodyFor, values = {} }: Walk) {
  const operations = listOperations(document);
  for (const operation of operations) {
    const { operationId, method } = operation;
    if (operationId === "getPetImage") {
      // The service chooses the name of an uploaded file.
      const find = operations.find((each) => each.operationId === "getPetById") ?? operation;
      const found = await send({ method: "GET", target: targetOf(find, values) }, find);
      const { photoUrls } = JSON.parse(await found.text()) as { readonly photoUrls: readonly string[] };
      values["name"] = photoUrls.at(-1)?.split("/").at(-1);
    }
    const body = bodyOf(operation, bodyFor);
    const target = targetOf(operation, values);
    const response = await send({ method, target, ...(body && { body }) }, operation);
    yield { operation, target, response };
  }
}
