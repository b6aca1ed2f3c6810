// Keeps the page up to date: reads the sandbox, and receives its requests through a WebSocket or, without one, by polling.
import { base, read } from "./api.js";

/** The sandbox keeps no more requests. */
const MOST_REQUESTS = 200;

/** How often to read the sandbox: other clients may change it outside the APIs. */
const REFRESH_MS = 10_000;

/** The least time between a request and the next reading of the sandbox, and between two polls. */
const PAUSE_MS = 500;

/** How long to wait before connecting again, at first and at most. */
const RETRY_MS = 3000;
const MOST_RETRY_MS = 30_000;

/** How long a poll waits for a request, in seconds. */
const POLL_S = 20;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const visible = async () => {
  while (document.hidden) await new Promise((resolve) => addEventListener("visibilitychange", resolve, { once: true }));
};

let reading = Promise.resolve();

/** Reads the sandbox after the reading in progress, whose responses must not replace newer ones. */
export function refresh(page) {
  reading = reading.then(() => readSandbox(page));
  return reading;
}

async function readSandbox(page) {
  try {
    // Up to 2 MB, so only while it is shown.
    const isDataShown = document.querySelector("#data details[open]");
    const [about, rules, { access }, data] = await Promise.all(
      ["", "/faults", "/access", ...(isDataShown ? ["/data"] : [])].map((path) => read(path)),
    );
    Object.assign(page, { about, rules, access, data: data ?? page.data, lost: undefined });
  } catch (error) {
    if (error.status === 404) Object.assign(page, { about: null, requests: [], lost: undefined });
    else if (error.status === 0) page.lost = "Connection lost. Trying again…";
    else page.lost = `The sandbox could not be read: ${error.message}`;
  }
  page.draw();
}

let soon;

/** Reads the sandbox soon after a request, but not after each of many. */
const refreshSoon = (page) =>
  (soon ??= sleep(PAUSE_MS).then(() => {
    soon = undefined;
    return refresh(page);
  }));

/** Adds requests to the list, and completes those that waited. @param gone the IDs of those that have left the log */
function add(page, requests, gone = new Set()) {
  const listed = new Map(page.requests.map((each) => [each.id, each]));
  const added = requests.filter(({ id, waiting }) => {
    const present = listed.get(id);
    return !present || (present.waiting && !waiting);
  });
  if (added.length === 0 && gone.size === 0) return;
  for (const request of added) listed.set(request.id, request);
  for (const id of gone) listed.delete(id);
  page.requests = Array.from(listed.values())
    .toSorted((a, b) => b.id - a.id)
    .slice(0, MOST_REQUESTS);
  void refreshSoon(page);
  page.draw();
}

/** The open socket, if there is one, and how to end the poll in progress when it opens. */
const connection = { socket: undefined, polls: new AbortController() };

/** Opens a socket. Resolves when it is closed, however that happens. */
async function connect(page) {
  const address = new URL(`${base}/requests`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  socket.newest = 0;
  socket.closed = new Promise((resolve) => socket.addEventListener("close", resolve));
  socket.addEventListener("open", () => {
    socket.since = page.requests[0]?.id ?? 0;
    connection.socket = socket;
    connection.polls.abort();
    connection.polls = new AbortController();
  });
  socket.addEventListener("message", ({ data }) => {
    const request = JSON.parse(data);
    // A request that is completed is older than others.
    socket.newest = Math.max(socket.newest, request.id);
    add(page, [request]);
  });
  await socket.closed;
  forget(socket);
}

/** Its end may be noticed before it is delivered, or after another socket was opened. */
const forget = (socket) => connection.socket === socket && (connection.socket = undefined);

async function keepConnected(page) {
  for (let wait = RETRY_MS; ; wait = Math.min(2 * wait, MOST_RETRY_MS)) {
    await visible();
    const began = Date.now();
    if (page.about) await connect(page);
    // The socket worked, or there was no sandbox yet.
    if (!page.about || Date.now() - began > REFRESH_MS) wait = RETRY_MS;
    await sleep(page.about === undefined ? PAUSE_MS : wait);
  }
}

/** Reads requests that the page does not have, which it returns, and again those that wait for their response. */
async function readNew(page, query = "", options = {}, newest = page.requests[0]?.id ?? 0) {
  const waiting = page.requests.filter((each) => each.waiting).map(({ id }) => id);
  const after = Math.min(newest, ...waiting.map((id) => id - 1));
  const requests = await read(`/requests?after=${after}${query}`, options);
  const present = new Set(requests.map(({ id }) => id));
  add(page, requests, new Set(waiting).difference(present));
  return requests.filter(({ id }) => id > newest);
}

/** Waits until the socket is lost. Closes it if it does not deliver: a proxy may hold back what passes through it. */
async function supervise(page, socket) {
  // What was logged before it opened: it may have delivered newer requests since.
  await readNew(page, "", {}, socket.since);
  while (socket.readyState === WebSocket.OPEN) {
    page.set({ live: "Live" });
    await Promise.race([socket.closed, sleep(REFRESH_MS)]);
    const missed = document.hidden ? [] : await readNew(page);
    if (missed.length > 0) await sleep(PAUSE_MS);
    if (socket.newest < (missed[0]?.id ?? 0)) socket.close();
  }
  forget(socket);
}

/** Reads all requests at once, then those that follow, until the socket is lost or a request fails. */
async function receive(page) {
  page.set({ requests: await read(`/requests?limit=${MOST_REQUESTS}`) });
  while (!connection.socket) {
    page.set({ live: "Polling" });
    const { signal } = connection.polls;
    try {
      await readNew(page, `&wait=${POLL_S}`, { signal });
      await sleep(PAUSE_MS);
      await visible();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  await supervise(page, connection.socket);
}

/** Follows the sandbox, whether it exists or not. */
export async function follow(page) {
  setInterval(() => {
    if (!document.hidden) void refresh(page);
  }, REFRESH_MS);
  void refresh(page);
  void keepConnected(page);
  for (;;) {
    await visible();
    try {
      await receive(page);
    } catch (error) {
      page.set({ live: "Offline" });
      if (error.status === 404) await refresh(page);
      await sleep(RETRY_MS);
    }
  }
}
