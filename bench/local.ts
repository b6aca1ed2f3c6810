// Runs a Worker, the module "contestant.js", with stubs of the rate limiters and the log. Miniflare simulates a limiter
// with a Durable Object, which costs more than the rest of a request; in production, it is a counter on the same
// machine. Miniflare also parses each line of the log, in the process that makes the load.
interface Worker {
  fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
}

const name = "contestant.js";
const limiter = { limit: async () => ({ success: true }) };

/** The bindings of a Worker or of a sandbox, with the stub of the limiters. */
const limitless = (env: object) => ({
  ...env,
  REQUESTS: limiter,
  LOGINS: limiter,
  LOGINS_PER_USER: limiter,
  NEW_STORES: limiter,
});
const bindings = new WeakMap<object, object>();
let loaded: Worker | undefined;

console.log = () => undefined;

// oxlint-disable-next-line import/no-default-export -- workerd requires it
export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    loaded ??= ((await import(`./${name}`)) as { default: Worker }).default;
    const bound = bindings.get(env) ?? limitless(env);
    bindings.set(env, bound);
    return loaded.fetch(request, bound, context);
  },
};
