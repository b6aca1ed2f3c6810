/** The largest number of requests that the page shows. A store keeps no more. */
const MOST = 200;

const KINDS = { 2: "good", 3: "good", 4: "refused", 5: "failed" };

/**
 * Watches a store until the connection ends.
 * @param path of its log
 * @param onLog gets the log, newest first, once, or the beginning of a long one
 * @param onRequests gets each request that follows, in the order of the answers, several at a time
 */
export function watch(path, { onLog, onRequests }) {
  const socket = new WebSocket(new URL(path, location.href.replace(/^http/, "ws")));
  let take = (requests) => onLog(requests.toReversed());
  socket.addEventListener("message", ({ data }) => {
    const { receipt, requests } = JSON.parse(data);
    take(requests);
    take = onRequests;
    // A page that returns no receipts soon gets no more.
    socket.send(receipt);
  });
  return new Promise((resolve) => socket.addEventListener("close", resolve));
}

/** The requests as rows of a table, newest first. */
export class RequestLog {
  #body;

  constructor(body) {
    this.#body = body;
    this.show([]);
  }

  /** @param requests newest first */
  show(requests) {
    this.#body.replaceChildren(...requests.map(rowOf));
    this.#trim();
  }

  /** @param requests in the order of their answers */
  add(requests) {
    this.#body.prepend(...requests.map(rowOf).toReversed());
    this.#trim();
  }

  #trim() {
    while (this.#body.rows.length > MOST) this.#body.lastElementChild.remove();
    this.#body.closest(".log").hidden = this.#body.rows.length === 0;
  }
}

function rowOf({ at, method, path, status, ms, errors = [], rule }) {
  const row = document.createElement("tr");
  const time = document.createElement("time");
  time.dateTime = new Date(at).toISOString();
  time.textContent = new Date(at).toLocaleTimeString("en-GB");
  const what = [path];
  if (rule) what.push(note("A rule for faults made this answer."));
  if (errors.length > 0) what.push(listOf(errors));
  row.append(
    cell("time", time),
    cell("method", method),
    cell("path", ...what),
    cell(`status ${KINDS[Math.floor(status / 100)] ?? ""}`, String(status)),
    cell("number", String(ms)),
  );
  return row;
}

function cell(className, ...content) {
  const created = document.createElement("td");
  created.className = className;
  created.append(...content);
  return created;
}

function note(text) {
  const created = document.createElement("span");
  created.className = "note";
  created.textContent = text;
  return created;
}

function listOf(errors) {
  const list = document.createElement("ul");
  for (const { path, message } of errors) {
    const item = document.createElement("li");
    const field = document.createElement("code");
    field.textContent = path;
    item.append(field, ` ${message}`);
    list.append(item);
  }
  return list;
}
