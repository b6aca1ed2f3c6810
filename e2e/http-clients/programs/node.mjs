// node node.mjs CLIENT STEP URL [STEP URL]…, also for Deno and Bun. A step is get, post, key (a POST with Idempotency-Key), json, or
// timeout (a GET with the client's timeout option). All steps use one client object, and each prints one line.
import process from "node:process";

const TIMEOUT = 3000;
const read = async (response) => [response.status, await response.text()];
const signal = (ms) => ms && { signal: AbortSignal.timeout(ms) };

/** Each client is [call(method, url, headers, body, timeout) → [status, text], json(url)]. */
const CLIENTS = {
  fetch: () => [
    async (method, url, headers, body, ms) => read(await fetch(url, { method, headers, body, ...signal(ms) })),
    async (url) => (await fetch(url)).json(),
  ],
  undici: async () => {
    const { request } = await import("undici");
    const call = async (method, url, headers, body, ms) => {
      const limits = ms && { headersTimeout: ms, bodyTimeout: ms };
      const response = await request(url, { method, headers, body, ...limits });
      return [response.statusCode, await response.body.text()];
    };
    return [call, async (url) => (await request(url)).body.json()];
  },
  axios: async () => {
    const { default: axios } = await import("axios");
    const client = axios.create();
    const call = async (method, url, headers, data, timeout = 0) => {
      const response = await client.request({ method, url, headers, data, timeout, responseType: "text" });
      return [response.status, response.data];
    };
    return [call, async (url) => (await client.get(url)).data];
  },
  got: async () => {
    const { default: got } = await import("got");
    const call = async (method, url, headers, body, request) => {
      const response = await got(url, { method, headers, body, timeout: { request } });
      return [response.statusCode, response.body];
    };
    return [call, (url) => got(url).json()];
  },
  ky: async () => {
    const { default: ky } = await import("ky");
    const call = async (method, url, headers, body, timeout = 10_000) =>
      read(await ky(url, { method, headers, body, timeout }));
    return [call, (url) => ky(url).json()];
  },
  superagent: async () => {
    const { default: superagent } = await import("superagent");
    const agent = superagent.agent();
    const call = async (method, url, headers, body, ms) => {
      const request = agent[method.toLowerCase()](url).set(headers);
      const response = await (ms ? request.timeout(ms) : request).send(body);
      return [response.status, response.text];
    };
    return [call, async (url) => (await agent.get(url)).body];
  },
  needle: async () => {
    const { default: needle } = await import("needle");
    const call = async (method, url, headers, body, timeout = 10_000) => {
      const response = await needle(method.toLowerCase(), url, body ?? null, { headers, timeout });
      return [response.statusCode, response.raw.toString()];
    };
    return [call, async (url) => (await needle("get", url)).body];
  },
  "node-fetch": async () => {
    const { default: nodeFetch } = await import("node-fetch");
    const call = async (method, url, headers, body, ms) =>
      read(await nodeFetch(url, { method, headers, body, ...signal(ms) }));
    return [call, async (url) => (await nodeFetch(url)).json()];
  },
  ofetch: async () => {
    const { ofetch } = await import("ofetch");
    const call = async (method, url, headers, body, timeout) => {
      // It resolves to the content alone, and rejects for an error status.
      return ["success", await ofetch(url, { method, headers, body, timeout, responseType: "text" })];
    };
    return [call, (url) => ofetch(url)];
  },
};

const [name, ...steps] = process.argv.slice(2);
const [call, json] = await CLIENTS[name]();
const type = { "Content-Type": "application/json" };
const body = JSON.stringify({ name: "Rex", photoUrls: [] });

const STEPS = {
  get: (url) => call("GET", url, {}),
  post: (url) => call("POST", url, type, body),
  key: (url) => call("POST", url, { ...type, "Idempotency-Key": "k1" }, body),
  timeout: (url) => call("GET", url, {}, undefined, TIMEOUT),
};

/** What a JSON call resolved to, in a word or as JSON. */
function valueOf(value) {
  if (typeof value === "string") return "a string";
  return Buffer.isBuffer(value) ? "bytes" : JSON.stringify(value);
}

while (steps.length > 0) {
  const [step, url] = steps.splice(0, 2);
  try {
    if (step === "json") console.log("JSON", valueOf(await json(url)));
    else {
      const [status, text] = await STEPS[step](url);
      console.log("OK", status, text.length);
    }
  } catch (error) {
    console.log("ERR", `${error.name} ${error.message} ${error.cause?.message ?? ""}`.replaceAll(/\s+/g, " "));
  }
}
process.exit(0);
