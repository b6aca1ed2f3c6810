import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** Compares answers with an OpenAPI 3.1 document. */
export class Validator {
  #document;
  #ajv = addFormats(new Ajv({ strict: false, allErrors: true }));

  constructor(document) {
    this.#document = document;
    this.#ajv.addSchema(document, "document");
  }

  /** Returns what is wrong with an answer of an operation. */
  async check(path, method, answer) {
    const { paths, components } = this.#document;
    const stated = paths[path][method].responses[answer.status];
    if (!stated) return [`the status ${answer.status} is not in the document`];
    const type = answer.headers.get("content-type");
    if (!stated.content[type]) return [`the content type ${type} is not in the document`];
    const missing = Object.entries(stated.headers)
      .map(([name, header]) => [name, header.$ref ? components.headers[name] : header])
      .filter(([name, { required }]) => required && !answer.headers.has(name))
      .map(([name]) => `the header ${name} is missing`);
    const place = ["paths", path, method, "responses", answer.status, "content", type, "schema"];
    const pointer = place.map((part) => encodeURIComponent(`${part}`.replaceAll("/", "~1")));
    const isValid = this.#ajv.compile({ $ref: `document#/${pointer.join("/")}` });
    isValid(await answer.json());
    const wrong = isValid.errors ?? [];
    return [...missing, ...wrong.map(({ instancePath, message }) => `${instancePath} ${message}`)];
  }
}
