import { startPetStore } from "pet-store-service";

/** Starts a server, which ends when Jest does. */
export default async function start() {
  const { url } = await startPetStore();
  process.env.SANDBOXES = `${new URL(url).origin}/sandboxes`;
}
