import { expect } from "vitest";
import { BASE_PATH, PETSTORE3_PATH } from "../../src/http/base-path.ts";
import { send } from "../client.ts";
import type { Send } from "../client.ts";
import { basePath } from "../engine.ts";
import { uniqueId } from "../fixtures.ts";

/** The base path of Petstore 3 on the store of the tests. */
export const basePath3 = (): string => basePath.replace(BASE_PATH, PETSTORE3_PATH);

/** Sends one request to Petstore 3. */
export const send3: Send = async (method, path, sent) =>
  send(method, path, { ...sent, basePath: PETSTORE3_PATH });

/** Creates a pet through Petstore 3. @returns its path, and the pet */
export async function createPet3(members: object = {}) {
  const pet = { id: uniqueId(), name: "Rex", photoUrls: ["rex.png"], ...members };
  const answer = await send3("POST", "/pet", { json: pet });
  expect([answer.status, answer.json]).toEqual([200, pet]);
  return { path: `/pet/${pet.id}`, pet };
}
