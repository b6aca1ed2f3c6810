import { startPetStore } from "pet-store-service";

/** Starts a server, which ends when Jest does. */
export default async function start() {
  const { url } = await startPetStore();
  process.env.PET_STORE = new URL(url).origin;
}
