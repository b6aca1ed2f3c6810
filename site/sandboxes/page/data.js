import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base, send } from "./api.js";
import { fault, panel, select } from "./parts.js";

/** The most rows of a table. */
const MOST = 100;

const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** How much the sandbox has, and when it expires. */
export const factsView = ({ about: { pets, orders, users, expiresAt } }) => html`
  <ul class="line quiet">
    <li><b>${pets}</b> pets</li>
    <li><b>${orders}</b> orders</li>
    <li><b>${users}</b> users</li>
    <li>expires <b>${moment.format(new Date(expiresAt))}</b> if unused</li>
  </ul>
`;

/** The data of the sandbox, who may change it, and the end of the sandbox. */
export function dataPanel(page) {
  const { name, data, failed } = page;
  const download = html`<a href="${base}/data" download="${name}.json">Download</a>`;
  const content = html`
    <div class="line" role="group" aria-label="Replace the data">
      <span class="quiet">Replace with</span>
      ${replacement(page, "classic", "classic data")} ${replacement(page, "empty", "no data")}
    </div>
    ${fault(failed.data)} ${data ? [petTable(data.pets), orderTable(data.orders), userTable(data.users)] : nothing}
    ${accessView(page)} ${fault(failed.access)}
    <div>
      <button type="button" class="button danger" @click=${() => end(page)}>Delete the sandbox</button>
    </div>
    ${fault(failed.end)}
  `;
  return panel("data", "Data", download, content);
}

const replacement = (page, data, words) => html`
  <button type="button" class="button" @click=${() => replace(page, { data }, words)}>${words}</button>
`;

const petTable = (pets) =>
  table("Pets", ["Id", "Name", "Status", "Category"], pets, (pet) => [
    pet.id,
    pet.name,
    pet.status,
    pet.category?.name,
  ]);

const orderTable = (orders) =>
  table("Orders", ["Id", "Pet", "Quantity", "Status"], orders, (order) => [
    order.id,
    order.petId,
    order.quantity,
    order.status,
  ]);

const userTable = (users) =>
  table("Users", ["Id", "Username", "First name", "Last name"], users, (user) => [
    user.id,
    user.username,
    user.firstName,
    user.lastName,
  ]);

const table = (title, columns, rows, cellsOf) => html`
  <details>
    <summary>${title} <span class="quiet">${rows.length}</span></summary>
    <table>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col">${column}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.slice(0, MOST).map(
          (each) =>
            html`<tr>
              ${cellsOf(each).map((cell) => html`<td><bdi>${cell}</bdi></td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${rows.length > MOST ? html`<p class="quiet">and ${rows.length - MOST} more</p>` : nothing}
  </details>
`;

async function replace(page, data, words) {
  if (!confirm(`Replace everything in the sandbox with ${words}?`)) return;
  await page.act("data", `The sandbox has ${words}.`, async () => {
    await send("PUT", "/data", data);
    // The sandbox has forgotten them, too.
    page.requests = [];
    page.waiting = [];
  });
}

const ACCESS = [
  ["open", "open: no operation needs a credential"],
  ["protected", "protected: writes need a login or the API key"],
];

const accessView = (page) => html`
  <details>
    <summary>Access <span class="quiet">${page.access}</span></summary>
    <form class="stack" autocomplete="off" @submit=${(event) => setAccess(event, page)}>
      <label class="stack">Access ${select("access", ACCESS, page.access)}</label>
      <label class="stack">
        API key, if protected
        <input class="field" name="apiKey" minlength="16" aria-describedby="key-rule" />
      </label>
      <p class="quiet" id="key-rule">16 characters or more. It is not shown again.</p>
      <div><button class="button">Set the access</button></div>
    </form>
  </details>
`;

async function setAccess(event, page) {
  event.preventDefault();
  const form = event.target;
  const access = form.elements.access.value;
  const apiKey = form.elements.apiKey.value;
  const error = await page.act("access", `Access is ${access}.`, () =>
    send("PUT", "/access", access === "protected" ? { access, apiKey } : { access }),
  );
  if (!error) form.reset();
}

async function end(page) {
  if (!confirm("Delete the sandbox with everything in it?")) return;
  await page.act("end", "The sandbox is deleted.", async () => {
    await send("DELETE", "");
    location.assign(base.slice(0, -page.name.length));
  });
}
