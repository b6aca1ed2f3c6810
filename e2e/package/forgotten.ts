// Starts a store and stops it never. With an argument it stays until it is killed.
import { startPetStore } from "pet-store-service";

const { url } = await startPetStore();
console.log(url);
if (process.argv[2] !== undefined) setInterval(() => undefined, 1000);
