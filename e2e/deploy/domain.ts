// Preloaded by `npm run deploy` in this test: redirects requests for the Worker's URL to the local server.
const { fetch: send } = globalThis;
const { WORKER_URL = "", SERVED_AT = "" } = process.env;

globalThis.fetch = async (input, init) =>
  send(typeof input === "string" ? input.replace(WORKER_URL, SERVED_AT) : input, init);
