// Loaded into the processes of `npm run deploy`: stands for the domain of the Worker and its certificate, and sends its
// requests to where it is served.
const { fetch: send } = globalThis;
const { WORKER_URL = "", SERVED_AT = "" } = process.env;

globalThis.fetch = async (input, init) =>
  send(typeof input === "string" ? input.replace(WORKER_URL, SERVED_AT) : input, init);
