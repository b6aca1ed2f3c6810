// `node e2e/with-server.ts <script>`: starts a server, and runs a script with its origin as the last argument.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { withServer } from "./server.ts";

const script = process.argv.slice(2);

await withServer(async (origin) => {
  const child = spawn(process.execPath, [...script, origin], { stdio: "inherit" });
  const [status] = (await once(child, "exit")) as [number | null];
  if (status !== 0) throw new Error(`${script.join(" ")} failed`);
});
