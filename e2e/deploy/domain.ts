// Loaded into the processes of `npm run deploy`: sends requests for the Worker's address to where it is served.
const { fetch: send } = globalThis;
const { WORKER_URL = "", SERVED_AT = "" } = process.env;

globalThis.fetch = async (input, init) =>
  send(typeof input === "string" ? input.replace(WORKER_URL, SERVED_AT) : input, init);
