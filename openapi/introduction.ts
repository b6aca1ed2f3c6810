import { readFileSync } from "node:fs";

/** Joins the lines of each paragraph: some viewers would show the line breaks. */
const unwrapped = (markdown: string): string => markdown.replaceAll(/(?<![\n|])\n(?![\n|#])/g, " ");

const GENERAL = readFileSync(`${import.meta.dirname}/introduction.md`, "utf8").trimEnd();

const petstore = (version: number, more: string) =>
  unwrapped(`${GENERAL}

## Clients of Swagger Petstore

This document is for clients that were generated from the document of Swagger Petstore ${version}: methods, parameters, results,
and models are the same. \`petstore_auth\` is the token that \`GET /user/login\` returns; there is no authorization page.
Integers go up to 2^53-1, even where the document says 32 bits. ${more}`);

const PETSTORE_2 = `Some operations return a body that Petstore's document does not declare: the example shows it. The result of
\`loginUser\` is an \`ApiResponse\` as text. In JSON, \`photoUrls\` can also be a single string, and a tag can be only its name;
the response returns what another client stored. \`openapi.json\` describes everything that Swagger 2.0 cannot express.`;

const PETSTORE_3 = `The document omits that fields can be \`null\`, that lists take \`limit\` and \`after\`, and that uploads can
have almost any media type. \`shipDate\` can lack seconds or a time zone if another client stored it that way. Petstore marks some
parameters and bodies as optional that the service requires: their descriptions say so.`;

/** The description of each document, in Markdown. */
export const INTRODUCTION = {
  openApi: unwrapped(GENERAL),
  petstore2: petstore(2, PETSTORE_2),
  petstore3: petstore(3, PETSTORE_3),
};
