import { Validator } from "@cfworker/json-schema";
import type { Schema } from "@cfworker/json-schema";
import openApi from "../openapi.json";
import type { Answer } from "./client.ts";

interface HeaderObject {
  readonly required?: boolean;
}

interface ResponseObject {
  readonly headers?: Record<string, HeaderObject | { readonly $ref: string }>;
  readonly content?: Record<string, { readonly schema?: object }>;
}

type PathItem = Record<string, { readonly responses: Record<string, ResponseObject> }>;

const paths = Object.entries(openApi.paths as Record<string, PathItem>).map(([template, item]) => ({
  // The first that matches is the more concrete one, as in the service.
  pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}/?$`),
  template,
  item,
}));

const validators = new Map<object, Validator>();

function validatorOf(schema: object): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    const whole: Schema = { ...schema, components: openApi.components };
    // The references lead into the whole document.
    validator = new Validator(whole, "2020-12", false);
    validators.set(schema, validator);
  }
  return validator;
}

/**
 * Fails where the service gave an answer that the document does not have: another status, another media
 * type, a body that does not fit its schema, or a header that is missing.
 * @param path below `/v2`
 */
export function assertDocumented(method: string, path: string, answer: Answer): void {
  const [pathname = ""] = path.split("?");
  const operation = paths.find(({ pattern }) => pattern.test(pathname))?.item[
    (method === "HEAD" ? "GET" : method).toLowerCase()
  ];
  // What is no operation has no place in the document.
  if (!operation) return;
  const where = `${method} ${path} answered ${answer.status}`;
  const response = operation.responses[String(answer.status)];
  if (!response) throw new Error(`${where}, which the document does not have`);
  for (const [name, stated] of Object.entries(response.headers ?? {})) {
    const components = openApi.components.headers as Record<string, HeaderObject>;
    const header = "$ref" in stated ? components[stated.$ref.split("/").at(-1) ?? ""] : stated;
    if (header?.required && !answer.headers.has(name))
      throw new Error(`${where} without the header ${name}`);
  }
  if (method === "HEAD" || answer.status === 304) return;
  const [type = ""] = (answer.headers.get("content-type") ?? "").split(";");
  const content = response.content?.[type];
  if (!content)
    throw new Error(`${where} with the type "${type}", which the document does not have`);
  if (!content.schema) return;
  const { valid, errors } = validatorOf(content.schema).validate(answer.json);
  if (!valid) throw new Error(`${where} with a body off its schema: ${JSON.stringify(errors)}`);
}
