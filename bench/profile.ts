// `npm run profile [-- <workload>]`: where the Worker spends its time under load, of one workload or of all in turn.
// Option: --own, for a store of one's own instead of D1.
// The .cpuprofile opens in Chrome's DevTools and in VS Code.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../scripts/programs.ts";
import { build } from "./contestants.ts";
import { hottest, profileDuring } from "./inspector.ts";
import { load } from "./load.ts";
import { harness } from "./measure.ts";
import { table } from "./report.ts";
import { fill, fillOwnStore, serve } from "./serve.ts";
import { statementsOfService } from "./sql.ts";
import { WORKLOADS } from "./workloads.ts";

const STORE = "00000000-bench-0001";
const SHOWN = 30;
const CONNECTIONS = 8;
const WARM_UP_MS = 1000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "5" },
    own: { type: "boolean", default: false },
  },
});
const { own: ownStores } = options;
const pets = ownStores ? 1000 : 10_000;
const wanted = positionals.join(" ");
const workloads = WORKLOADS.filter(({ name }) => wanted === "" || name === wanted);
if (workloads.length === 0) {
  throw new Error(`no such workload; there are: ${WORKLOADS.map(({ name }) => name).join(", ")}`);
}

const served = await serve(build("readable"), {
  sql: await statementsOfService(),
  harness: harness("local"),
  inspect: true,
  ownStores,
});
try {
  await fill(served.db, pets);
  const base = ownStores ? await fillOwnStore(served, STORE, pets) : "/v2";
  const { port, inspector } = served;
  if (!inspector) throw new Error("there is no inspector");
  let number = 0;
  const next = () => {
    number++;
    const workload = workloads[number % workloads.length] ?? WORKLOADS[0];
    if (!workload) throw new Error("there is no workload");
    const asked = workload.request(number, pets);
    return { ...asked, path: asked.path.replace("/v2", base) };
  };
  await load({ port, connections: CONNECTIONS, milliseconds: WARM_UP_MS, next });
  number = 0;
  const milliseconds = Number(options.seconds) * 1000;
  const profile = await profileDuring(inspector, async () => {
    await load({ port, connections: CONNECTIONS, milliseconds, next });
  });
  const path = join(ROOT, "dist", "profile.cpuprofile");
  writeFileSync(path, JSON.stringify(profile));
  const rows = hottest(profile)
    .slice(0, SHOWN)
    .map(({ name, microseconds, share }) => [
      name,
      (microseconds / number).toFixed(2),
      `${(share * 100).toFixed(1)} %`,
    ]);
  console.log(table(["function", "us a request", "share"], rows));
  console.log(`\n${number} requests; the whole profile is in ${path}`);
} finally {
  await served.stop();
}
