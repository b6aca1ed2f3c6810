import { itemOf } from "../../docs/pets.js";
import { forgetStore, send } from "../../docs/sandbox.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { cut, fault, loading, panel } from "./parts.js";

/** The most pets, orders and users that the page shows. */
const MOST = { pets: 12, orders: 8, users: 8 };

/** The content of the store, with buttons to download, replace and delete it. */
export function dataPanel(page) {
  const { about, content, faults, failed, path, store } = page;
  const download = html`<a
    class="small"
    href="${path}/data"
    download="${store}.json"
    ?hidden=${!about}
    >Download</a
  >`;
  const shown = html`
    <div class="line" role="group" aria-label="Replace all with">
      <span class="quiet">Replace all with</span>
      ${replacement(page, "classic")} ${replacement(page, "empty")}
      <button
        type="button"
        class="button"
        @click=${({ target }) => target.nextElementSibling.click()}
      >
        a file
      </button>
      <input
        type="file"
        hidden
        accept=".json,application/json"
        @change=${(event) => load(event, page)}
      />
    </div>
    ${fault(failed.replacement)} ${fault(faults.content)}
    ${content ? listsOf(page) : about && !faults.content ? loading("The data is") : nothing}
    ${fault(failed.deletion)}
    <button type="button" class="small danger" ?hidden=${!about} @click=${() => end(page)}>
      Delete the store
    </button>
  `;
  return panel(page, "data", "Data", download, shown);
}

const listsOf = (page) => html`
  ${list(page, "pets", (pet) => itemOf(pet, `${page.path}/v2`, page.draw))}
  ${list(page, "orders", ({ id, petId, quantity, status }) =>
    fact(`Order ${id}`, [
      petId && `pet ${petId}`,
      quantity !== undefined && `quantity ${quantity}`,
      status,
    ]),
  )}
  ${list(page, "users", ({ id, username, firstName, lastName, email }) =>
    fact(username ?? `User ${id}`, [
      username && `id ${id}`,
      [firstName, lastName].filter(Boolean).join(" "),
      email,
    ]),
  )}
`;

const REPLACEMENTS = { classic: "classic data", empty: "nothing" };

const replacement = (page, data) => html`
  <button type="button" class="button" @click=${() => replace(page, { data }, REPLACEMENTS[data])}>
    ${REPLACEMENTS[data]}
  </button>
`;

function list(page, name, view) {
  const items = page.content[name];
  const [shown, more] = cut(page, name, items, MOST[name]);
  return html`
    <h3 id="${name}-title">
      ${name[0].toUpperCase()}${name.slice(1)} <span class="quiet">${items.length}</span>
    </h3>
    <ul id=${name} class=${name === "pets" ? "pets columns" : ""} aria-labelledby="${name}-title">
      ${shown.map(view)}
    </ul>
    ${more}
  `;
}

function fact(name, facts) {
  const given = facts.filter(Boolean);
  const title = given.length > 0 ? `${name}: ${given.join(", ")}` : name;
  return html`<li class="cut quiet" title=${title}>
    <strong><bdi>${name}</bdi>${given.length > 0 ? ":" : ""}</strong>
    ${given.map((each, index) => html`${index > 0 ? ", " : ""}<bdi>${each}</bdi>`)}
  </li>`;
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
    await page.change("replacement", `The store holds ${name}.`, async () =>
      send("PUT", `${page.path}/data`, data),
    );
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
    await page.act("replacement", "", () => Promise.reject(new Error(`${file.name} is not JSON`)));
    return;
  }
  await replace(page, data, file.name);
}

async function end(page) {
  if (!(await mayReplace(page, "Delete the store"))) return;
  const { act, path, store, elsewhere } = page;
  const error = await act("deletion", "The store is deleted.", async () => send("DELETE", path));
  if (error) return;
  forgetStore(store);
  location.assign(elsewhere);
}
