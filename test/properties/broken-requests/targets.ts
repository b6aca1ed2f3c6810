import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { send } from "../../client.ts";

/** What requests are about: one pet with an image, one order and one user, the only ones in the store. */
export const TARGET = {
  /** Of the pet, the order and the user. */
  id: 7,
  username: "target of the requests",
  password: "correct horse & battery",
  image: "5f8e3d0e-1c1f-4c8e-9a53-0d6f3f6a2b11.gif",
} as const;

/** An image that is text, so that it stands in a form as it is. */
export const IMAGE = "GIF89a;";

/** What is not there. */
export const MISSING = {
  id: 9,
  username: "nobody",
  image: "00000000-1c1f-4c8e-9a53-0d6f3f6a2b11.gif",
} as const;

const TABLES = ["pets", "orders", "users"];

async function create(path: string, json: object): Promise<void> {
  const { id } = TARGET;
  expect((await send("POST", path, { json: { id, ...json } })).status).toBe(200);
}

/** Creates the targets. */
export async function createTargets(): Promise<void> {
  const { id, username, password, image } = TARGET;
  await create("/pet", { name: "Rex", photoUrls: ["a.png"], tags: ["dog"], status: "sold" });
  await create("/store/order", { petId: id, quantity: 1, status: "placed" });
  await create("/user", { username, password, firstName: "Ada" });
  // The pet does not know that it has an image, so the image stays when the pet is deleted.
  await env.IMAGES.put(`${id}/${image}`, IMAGE, { httpMetadata: { contentType: "image/gif" } });
  for (const table of TABLES) {
    await env.DB.exec(`CREATE TABLE first_${table} AS SELECT * FROM ${table}`);
  }
}

/** Makes the store hold the targets as they were created, and nothing else but images. */
export async function restoreTargets(): Promise<void> {
  await env.DB.batch(
    TABLES.flatMap((table) => [
      env.DB.prepare(`DELETE FROM ${table}`),
      env.DB.prepare(`INSERT INTO ${table} SELECT * FROM first_${table}`),
    ]),
  );
}
