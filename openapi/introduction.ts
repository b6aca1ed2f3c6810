import { readFileSync } from "node:fs";

/** Joins the lines of each paragraph: some viewers would show the line breaks. */
const unwrapped = (markdown: string): string => markdown.replaceAll(/(?<![\n|])\n(?![\n|#])/g, " ");

const GENERAL = readFileSync(`${import.meta.dirname}/introduction.md`, "utf8").trimEnd();

const petstore = (version: number, more: string) =>
  unwrapped(`${GENERAL}

## Clients of Swagger Petstore

This document is for clients that were generated from the document of Swagger Petstore ${version}: methods, parameters, results
and models are the same. \`petstore_auth\` is the token that \`GET /user/login\` returns; there is no page to authorize at.
Integers go up to 2^53-1, also where 32 bits are stated. ${more}`);

const PETSTORE_2 = `Some operations have a body in their answer that Petstore's document does not state: the example shows it. The
result of \`loginUser\` is an \`ApiResponse\` as text. In JSON, \`photoUrls\` may also be one string, and a tag only its name; what
another client stored like that is returned like that. \`openapi.json\` has everything else that Swagger 2.0 cannot express.`;

const PETSTORE_3 = `It does not state that members may be \`null\`, that lists take \`limit\` and \`after\`, and that uploads may
have almost any media type. \`shipDate\` may come without seconds or zone if another client stored it so. The id of
a pet to update, tags, a username, a password and the bodies are needed: without them, the answer is the error that is stated.`;

/** The description of each interface, in Markdown. */
export const INTRODUCTION = {
  openApi: unwrapped(GENERAL),
  petstore2: petstore(2, PETSTORE_2),
  petstore3: petstore(3, PETSTORE_3),
};
