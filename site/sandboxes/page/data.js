import { html, nothing } from "../../docs/vendor/lit-html.js";
import { base } from "./api.js";
import { ask } from "./ask.js";
import { CLASSIC, EMPTY, putData } from "./chosen.js";
import { openEditor } from "./editor.js";
import { button, fault, panel, table } from "./parts.js";

const LISTS = { pets: "Pets", orders: "Orders", users: "Users" };

/** The most rows of a table. */
const MOST = 100;

/** The data of the sandbox, and how to change it. */
export function dataPanel(page) {
  const { name, data, failed, about } = page;
  const counts = Object.keys(LISTS).map((list) => `${about[list]} ${about[list] === 1 ? list.slice(0, -1) : list}`);
  const content = html`
    <div class="line">
      ${button("Edit or paste JSON", () => openEditor(page), "main")}
      <a class="button" href="${base}/data" download="${name}.json">Download</a>
    </div>
    <div class="line" role="group" aria-label="Replace the data">
      <span class="quiet">Replace with</span>
      ${button("Classic data", () => replace(page, CLASSIC, "classic data"))}
      ${button("No data", () => replace(page, EMPTY, "no data"))}
    </div>
    <p class="quiet">
      Saving JSON replaces everything. To add or change one pet, order, or user,
      <a href="../../docs/?sandbox=${name}#/pet/updatePet">try it in the documentation</a>.
    </p>
    ${fault(failed.data)} ${Object.keys(LISTS).map((list) => listView(page, list, data[list]))}
  `;
  return panel("data", "Data", html`<p class="quiet">${counts.join(" · ")}</p>`, content, page.tab === "data");
}

/** The words for a pet, an order, or a user next to its ID. */
const titleOf = ({ name, username, petId }) => name ?? username ?? (petId === undefined ? "" : `pet ${petId}`);

const listView = (page, list, rows) => html`
  <details @toggle=${page.refresh}>
    <summary>${LISTS[list]} <span class="quiet">${page.about[list]}</span></summary>
    ${table(
      list,
      rows.slice(0, MOST).map((row) => {
        const edit = button("Edit", () => openEditor(page, list, row.id), "link", `Edit ${row.id} in ${list}`);
        return [row.id, titleOf(row), row.status, edit];
      }),
    )}
    ${rows.length > MOST ? html`<p class="quiet">and ${rows.length - MOST} more</p>` : nothing}
  </details>
`;

async function replace(page, data, words) {
  const text = html`<p>All data, logged requests, sessions, and uploaded files are deleted. Rules and access stay.</p>`;
  if (!(await ask(`Replace everything with ${words}?`, text, "Replace", "danger"))) return;
  await page.act("data", `The sandbox now has ${words}.`, () => putData(page, data));
}
