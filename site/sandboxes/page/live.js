// Keeps the page up to date: reads the sandbox, and receives its requests.
import { base, read } from "./api.js";

/** The sandbox keeps no more requests. */
const MOST_REQUESTS = 200;

/** How often to read the sandbox: other clients may change it outside the interfaces. */
const REFRESH_MS = 10_000;

/** The least time between a request and the next reading of the sandbox. */
const PAUSE_MS = 500;

/** How long to wait before connecting again. */
const RETRY_MS = 3000;

let reading = Promise.resolve();

/** Reads the sandbox after the reading in progress, whose answers must not replace newer ones. */
export function refresh(page) {
  reading = reading.then(() => readSandbox(page));
  return reading;
}

async function readSandbox(page) {
  try {
    const about = await read("");
    // Up to 2 MB, so only while it is shown.
    const data = document.querySelector("#data details[open]") ? await read("/data") : page.data;
    const [rules, { access }] = await Promise.all([read("/faults"), read("/access")]);
    Object.assign(page, { about, rules, access, data, lost: undefined });
  } catch (error) {
    if (error.status === 404) Object.assign(page, { about: null, requests: [], lost: undefined });
    else if (error.status === 0) page.lost = "Connection lost. Trying again…";
    else page.lost = `The sandbox could not be read: ${error.message}`;
  }
  page.draw();
}

let isSoon = false;

/** Reads the sandbox soon after a request, but not after each of many. */
async function refreshSoon(page) {
  if (isSoon) return;
  isSoon = true;
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  isSoon = false;
  await refresh(page);
}

/** Receives requests until the connection ends. */
function watch(page) {
  const url = new URL(`${base}/requests`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const socket = new WebSocket(url);
  socket.addEventListener("open", async () => {
    try {
      page.requests = await read(`/requests?limit=${MOST_REQUESTS}`);
      page.draw();
    } catch {
      // `follow` tries again.
      socket.close();
    }
  });
  socket.addEventListener("message", ({ data }) => {
    const request = JSON.parse(data);
    void refreshSoon(page);
    const others = page.requests.filter(({ id }) => id !== request.id);
    page.requests = [request, ...others].slice(0, MOST_REQUESTS);
    page.draw();
  });
  return new Promise((resolve) => socket.addEventListener("close", resolve));
}

/** Follows the sandbox, whether it exists or not. */
export async function follow(page) {
  setInterval(() => {
    if (!document.hidden && page.about) void refresh(page);
  }, REFRESH_MS);
  for (;;) {
    if (!document.hidden) {
      await refresh(page);
      if (page.about && !page.lost) await watch(page);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
