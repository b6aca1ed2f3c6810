// `npm run reset`: empties the local store, whether a server has it open or not. `npm start` fills it again.
import { empty, storeFolder, withLocalStore } from "./local-store.ts";

await withLocalStore(storeFolder(process.argv.slice(2)), empty);
console.log("The local store is empty.");
