// Starts a store and never stops it. With an argument, it runs until it is killed.
import { startPetStore } from "pet-store-service";

const { url } = await startPetStore();
console.log(url);
if (process.argv[2] !== undefined) setInterval(() => undefined, 1000);
