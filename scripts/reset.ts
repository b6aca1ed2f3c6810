// `npm run reset`: deletes the local store, unless a server uses it. The next `npm start` makes a new one.
import { endWith } from "./command.ts";
import { deleteStore, lockStore, storeFolder } from "./local-store.ts";

const folder = storeFolder(process.argv.slice(2));
try {
  lockStore(folder);
  deleteStore(folder);
  console.log("The local store is deleted.");
} catch (error) {
  endWith(error);
}
