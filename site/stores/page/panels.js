import { read, send } from "../../docs/sandbox.js";
import { itemOf } from "../../docs/pets.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";

/** The most pets, orders and users that the page shows. */
const MOST = { pets: 12, orders: 8, users: 8 };

/** A store that expires later than this is shown as one that never expires. */
const YEAR_MS = 365 * 86_400_000;

const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

const fault = (text) => (text ? html`<p class="fault" role="alert">${text}</p>` : nothing);

/** The name of the store and its counts. */
export function headView(page) {
  const { about, store, base, faults } = page;
  return html`
    <section class="wide store-head">
      <div class="which">
        <h1 id="title" class="mono" tabindex="-1">${store}</h1>
        <p class="base">
          <code id="base">${base}</code>
          <button
            type="button"
            class="small"
            aria-label="Copy the base URL"
            @click=${() => copy(page, "The base URL", base)}
          >
            Copy
          </button>
        </p>
      </div>
      ${fault(faults.about)}
      <dl id="state" class="facts">${about ? factsOf(about) : nothing}</dl>
      ${
        about === null
          ? html`<p id="missing">It does not exist. The first request makes it.</p>`
          : nothing
      }
    </section>
  `;
}

function factsOf({ pets, orders, users, bytes, expiresAt }) {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  const ends = new Date(expiresAt);
  return [
    ["Pets", pets],
    ["Orders", orders],
    ["Users", users],
    ["Size, of 10 MB", size],
    ...(ends - Date.now() < YEAR_MS ? [["Expires if unused", moment.format(ends)]] : []),
  ].map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}

/** The rules that make requests fail, and a form for a new one. */
export function rulesPanel(page) {
  const { rules, faults, operations } = page;
  return html`
    <section class="panel rules" aria-labelledby="rules-title">
      <div class="head">
        <h2 id="rules-title">Rules</h2>
        <span class="count">${rules?.length || nothing}</span>
      </div>
      ${fault(faults.rules)}
      <ul id="rules">
        ${rules?.map((rule, index) => ruleView(page, rule, index))}
      </ul>
      <p class="none" ?hidden=${rules?.length !== 0}>No rules. Requests get normal answers.</p>
      <details @toggle=${() => page.readOperations().catch((error) => page.say(error.message))}>
        <summary>Add a rule</summary>
        <form @submit=${(event) => submit(event, page)}>
          <label class="broad">
            Operation
            <select name="operationId">
              <option value="">any</option>
              ${operations.map((id) => html`<option>${id}</option>`)}
            </select>
          </label>
          ${field("status", "Status", "503", 400, 599)} ${field("times", "How often", "always", 1)}
          ${field("delayMs", "Delay, ms", "0", 1, 30_000)}
          ${field("chance", "Chance, %", "100", 1, 100)}
          <label>
            Break
            <select name="break">
              <option value="">nothing</option>
              <option value="body">the connection</option>
              <option value="json">the JSON</option>
            </select>
          </label>
          <label class="check"><input type="checkbox" name="after" /> do the request first</label>
          <button class="button main">Add the rule</button>
        </form>
      </details>
    </section>
  `;
}

const field = (name, label, placeholder, min, max) => html`
  <label>
    ${label}
    <input type="number" name=${name} min=${min} max=${max ?? nothing} placeholder=${placeholder} />
  </label>
`;

/** Adds the rule in the form. The service validates it. */
async function submit(event, { addRule }) {
  event.preventDefault();
  const form = event.target;
  const { after, chance, ...rest } = Object.fromEntries(new FormData(form));
  const members = Object.entries(rest)
    .filter(([, value]) => value !== "")
    .map(([name, value]) => [name, form.elements[name].type === "number" ? Number(value) : value]);
  const rule = {
    ...Object.fromEntries(members),
    ...(after && { after: true }),
    ...(chance && { chance: Number(chance) / 100 }),
  };
  if (!rule.delayMs && !rule.break) rule.status ??= 503;
  if (await addRule(rule, "The rule is active.")) form.reset();
}

function ruleView(page, rule, index) {
  const { operationId, method, path, used, left } = rule;
  const who = operationId ?? ([method, path].filter(Boolean).join(" ") || "every request");
  return html`
    <li class=${left === 0 ? "over" : ""}>
      <strong>${who}</strong>
      <span>${effectOf(rule)}</span>
      <span class="about">used ${used}${rule.times ? ` of ${rule.times}` : ""}</span>
      <button
        type="button"
        class="small"
        aria-label="Remove the rule for ${who}"
        @click=${() => remove(page, index)}
      >
        Remove
      </button>
    </li>
  `;
}

const BREAKS = { body: "connection breaks", json: "JSON is cut" };

/** Members that a rule's line shows elsewhere, or not at all. */
const NO_EFFECTS = new Set("operationId method path times seed used met left break".split(" "));

/** Describes what a rule does. A member that is not here shows as it is. */
function effectOf({ status, after, retryAfter, delayMs, every, chance, body, ...rest }) {
  return [
    status && `answers ${status}${after ? " after doing the request" : ""}`,
    body !== undefined && "with another body",
    retryAfter !== undefined && `Retry-After ${retryAfter}`,
    delayMs && `delay ${[delayMs].flat().join(" to ")} ms`,
    BREAKS[rest.break],
    every > 1 && `one request in ${every}`,
    chance < 1 && `${Math.round(chance * 100)} % of requests`,
    ...Object.entries(rest).map(([name, value]) => !NO_EFFECTS.has(name) && `${name}: ${value}`),
  ]
    .filter(Boolean)
    .join(", ");
}

/** A rule without its counts. */
const identityOf = (rule) => JSON.stringify({ ...rule, used: 0, met: 0, left: 0 });

/** Removes a rule. The others keep their counts. */
async function remove({ act, path, rules }, index) {
  const removed = identityOf(rules[index]);
  await act("Rule removed.", async () => {
    const present = await read(`${path}/faults`);
    const at = present.findIndex((rule) => identityOf(rule) === removed);
    if (at < 0) throw new Error("the rules have changed, and this one is gone");
    await send("PUT", `${path}/faults`, present.toSpliced(at, 1));
  });
}

/** The content of the store, with buttons to download, replace and delete it. */
export function dataPanel(page) {
  const { about, content, faults, path, store } = page;
  const lists = content ?? { pets: [], orders: [], users: [] };
  return html`
    <section class="panel data" aria-labelledby="data-title">
      <div class="head">
        <h2 id="data-title">Data</h2>
        <a class="small" href="${path}/data" download="${store}.json" ?hidden=${!about}>Download</a>
      </div>
      <div class="replace" role="group" aria-label="Replace all with">
        <span class="quiet">Replace all with</span>
        ${replacement(page, "classic")} ${replacement(page, "empty")}
        <label class="button">
          a file
          <input
            type="file"
            accept=".json,application/json"
            @change=${(event) => load(event, page)}
          />
        </label>
      </div>
      ${fault(faults.content)}
      ${list("pets", lists.pets, (pet) => itemOf(pet, `${path}/v2`, page.draw))}
      ${list("orders", lists.orders, ({ id, petId, quantity, status }) =>
        fact(`Order ${id}`, [
          petId && `pet ${petId}`,
          quantity !== undefined && `quantity ${quantity}`,
          status,
        ]),
      )}
      ${list("users", lists.users, ({ id, username, firstName, lastName, email }) =>
        fact(username ?? `User ${id}`, [
          username && `id ${id}`,
          [firstName, lastName].filter(Boolean).join(" "),
          email,
        ]),
      )}
      <button type="button" class="small danger" ?hidden=${!about} @click=${() => end(page)}>
        Delete the store
      </button>
    </section>
  `;
}

const REPLACEMENTS = { classic: "classic data", empty: "nothing" };

const replacement = (page, data) => html`
  <button type="button" class="button" @click=${() => replace(page, { data }, REPLACEMENTS[data])}>
    ${REPLACEMENTS[data]}
  </button>
`;

const list = (name, items, view) => html`
  <h3 id="${name}-title">
    ${name[0].toUpperCase()}${name.slice(1)} <span class="count">${items.length}</span>
  </h3>
  <ul id=${name} class=${name === "pets" ? "pets" : "lines"} aria-labelledby="${name}-title">
    ${items.slice(0, MOST[name]).map(view)}
  </ul>
  ${items.length > MOST[name] ? html`<p class="none">and ${items.length - MOST[name]} more</p>` : nothing}
`;

function fact(name, facts) {
  const text = facts.filter(Boolean).join(", ");
  const title = text === "" ? name : `${name}:`;
  return html`<li title="${title} ${text}"><strong>${title}</strong> ${text}</li>`;
}

/** Asks before data is lost. */
const mayReplace = ({ about, confirmed }, verb) =>
  confirmed(
    `${verb}?`,
    `This deletes ${about.pets} pets, ${about.orders} orders and ${about.users} users, all images and the list of requests.`,
    verb,
  );

async function replace(page, data, name) {
  if (!page.about || (await mayReplace(page, `Replace all with ${name}`))) {
    await page.act(`The store holds ${name}.`, async () => send("PUT", `${page.path}/data`, data));
  }
}

async function load({ target }, page) {
  const [file] = target.files;
  const text = await file.text();
  target.value = "";
  let data;
  try {
    data = JSON.parse(text);
  } catch {
    page.say(`${file.name} is not JSON.`);
    return;
  }
  await replace(page, data, file.name);
}

async function end(page) {
  if (await mayReplace(page, "Delete the store")) {
    await page.act("The store is deleted.", async () => send("DELETE", page.path));
  }
}
