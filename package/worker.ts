// The Worker of the package: the service over a database of its own, and the pages. The first request prepares the store;
// others wait meanwhile, so nobody sees a store without its data.
import * as v from "valibot";
import { fieldErrorsOf } from "../src/http/errors.ts";
import service from "../src/index.ts";
import { Data } from "../src/sandbox/data.ts";
import { d1Of, type Database } from "./database.ts";
import { prepareStore, type Preparation } from "./store.ts";

export { Sandbox } from "../src/index.ts";
export { Database } from "./database.ts";

/** What the server process adds to the bindings of wrangler.toml. */
export interface PackageEnv extends Omit<Env, "DB"> {
  readonly DATABASE: DurableObjectNamespace<Database>;
  /** The paths of the assets that come before the Worker. */
  readonly PAGES: readonly string[];
  /** Whether nobody reads the lines of requests. They take a tenth of the time of a request. */
  readonly IS_QUIET: boolean;
  /** Absent if the store is prepared. The data is not checked yet. */
  readonly PREPARATION?: Omit<Preparation, "data"> & { readonly data: unknown };
}

let isPrepared = false;
let preparation: Promise<void> | undefined;

async function prepare({ PREPARATION, IS_QUIET, ...env }: Env & PackageEnv): Promise<void> {
  if (PREPARATION) {
    const { success, output, issues } = v.safeParse(Data, PREPARATION.data);
    if (!success) {
      const errors = fieldErrorsOf(issues, "data").map(({ path, message }) => `${path} ${message}`);
      throw new Error(`The data is wrong: ${errors.join("; ")}`);
    }
    await prepareStore(env, { ...PREPARATION, data: output });
  }
  if (IS_QUIET) console.log = () => undefined;
  isPrepared = true;
}

/** What the published port serves. Miniflare's own router of assets would take as long as the service. */
export const direct: ExportedHandler<PackageEnv> = {
  async fetch(request, bindings, context) {
    const env = { ...bindings, DB: d1Of(bindings.DATABASE) };
    if (!isPrepared) {
      preparation ??= prepare(env);
      // Goes on even if this client hangs up.
      context.waitUntil(preparation);
      try {
        await preparation;
      } catch (error) {
        return new Response((error as Error).message, { status: 500 });
      }
    }
    const { pathname } = new URL(request.url);
    if (request.body === null && env.PAGES.some((path) => pathname.startsWith(path))) {
      const page = await env.ASSETS.fetch(request);
      if (page.status !== 404) return page;
    }
    return service.fetch(request, env, context);
  },
};

export default direct;
