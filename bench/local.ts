// Runs a contestant with rate limiters that answer in-process, and with a log that nobody reads. Miniflare simulates
// limiters with a Durable Object, which costs more than everything else in a request. Production has counters on the
// same machine. Miniflare also reads and parses each line of the log in the process that makes the load. Runs beside
// the bundle of a contestant, which is the module "contestant.js".
interface Worker {
  fetch(request: Request, env: object, context: ExecutionContext): Response | Promise<Response>;
}

const name = "contestant.js";
const limiter = { limit: async () => ({ success: true }) };

/** The bindings of a Worker or of an object, with these limiters. */
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

// oxlint-disable-next-line import/no-default-export -- workerd takes the Worker from it
export default {
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    loaded ??= ((await import(`./${name}`)) as { default: Worker }).default;
    const bound = bindings.get(env) ?? limitless(env);
    bindings.set(env, bound);
    return loaded.fetch(request, bound, context);
  },
};
