// The page at /sandboxes/ makes a sandbox, that at /sandboxes/{name}/ shows one.
import { base } from "./api.js";
import { showSandbox } from "./sandbox.js";
import { showStart } from "./start.js";

const [, name] = /\/([\w-]{16,64})$/.exec(base) ?? [];
if (name === undefined) showStart();
else showSandbox(name);
