import { expect, test } from "vitest";
import { sandbox, send, type Init } from "../client.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { example?: unknown }>> };
}

/** The body of the first media type. */
function bodyOf({ requestBody }: Operation): Init {
  const [[type, { example }] = ["", {}]] = Object.entries(requestBody?.content ?? {});
  if (type === "application/json") return { json: example };
  return type === "" ? {} : { body: new URLSearchParams(example as Record<string, string>) };
}

test.each(["/v2", "/api/v3"])(
  "the examples of %s succeed in an empty store, in the order of the document",
  async (base) => {
    const to = sandbox() + base;
    const { paths } = await (
      await send("GET", `${to}/openapi.json`)
    ).json<{
      paths: Record<string, Record<string, Operation>>;
    }>();
    const operations = Object.entries(paths)
      .flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method, operation })))
      // No example can hold a file.
      .filter(({ operation }) => !/uploadFile|getPetImage/.test(operation.operationId));
    const statuses: [string, number][] = [];
    for (const { path, method, operation } of operations) {
      const query = new URLSearchParams();
      let target = path;
      for (const { name, in: where, example } of operation.parameters ?? []) {
        const value = String(example);
        if (where === "query") query.set(name, value);
        if (where === "path") target = target.replace(`{${name}}`, encodeURIComponent(value));
      }
      const url = `${to}${target}?${query.toString()}`;
      const { status } = await send(method.toUpperCase(), url, bodyOf(operation));
      statuses.push([operation.operationId, status]);
    }
    expect(statuses.length).toBeGreaterThan(16);
    expect(statuses).toEqual(statuses.map(([id]) => [id, 200]));
  },
);
