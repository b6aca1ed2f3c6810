import { showOperations } from "./explorer.js";
import { makeStore, pathOf, read } from "./sandbox.js";
import { itemOf, parade } from "./pets.js";
import { html, nothing, render, svg } from "./vendor/lit-html.js";

/** The number of pets to show. */
const PETS = 8;
const PETS_PATH = `/v2/pet/findByStatus?status=available,pending,sold&limit=${PETS}`;

const element = (id) => document.getElementById(id);

/** Whether `/v2` is the shared store. In the package, it is the user's, which would record what this page reads. */
const isShared = document.documentElement.dataset.store === "shared";

/** The latest reading. Answers of earlier ones are ignored. */
let latest;

/** Reads the shared store, and shows the number of pets by status and the first pets. */
async function showStore() {
  const reading = {};
  latest = reading;
  try {
    const [counts, pets] = await Promise.all([read("/v2/store/inventory"), read(PETS_PATH)]);
    if (latest === reading) drawStore(counts, pets);
  } catch (error) {
    const text = html`<p class="fault">The store could not be read: ${error.message}.</p>`;
    render(text, element("store"));
  }
}

function drawStore(counts, pets) {
  const entries = Object.entries(counts);
  const all = entries.reduce((sum, [, count]) => sum + count, 0);
  let end = 0;
  const bars = entries.map(([status, count]) => {
    const width = (100 * count) / (all || 1);
    end += width;
    return svg`<rect class=${status} x=${end - width} width=${width} height="1" />`;
  });
  const view = html`
    <h2>In the store now</h2>
    <svg
      id="inventory"
      role="img"
      aria-label=${entries.map(([status, count]) => `${status}: ${count}`).join(", ")}
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
    >
      ${bars}
    </svg>
    <p class="line quiet" aria-hidden="true">
      ${entries.map(([status, count]) => html`<span class="dot ${status}">${count} ${status}</span>`)}
    </p>
    <ul id="pets" class="pets columns" aria-label="The first pets">
      ${pets.map((pet) => itemOf(pet, "/v2", () => drawStore(counts, pets)))}
    </ul>
    ${all > pets.length ? html`<p class="quiet">and ${all - pets.length} more</p>` : nothing}
  `;
  render(view, element("store"));
}

element("make").addEventListener("click", async () => {
  try {
    location.assign(`${pathOf(await makeStore())}/#/`);
  } catch (error) {
    // That page asks for the key.
    if (error.status === 401) return location.assign("/stores/");
    element("fault").hidden = false;
    element("fault").textContent = `The service could not make a sandbox: ${error.message}.`;
  }
});

if (isShared) {
  void showStore();
} else {
  render(parade(), element("store"));
}
await showOperations(element("operations"), "", () => {
  if (isShared) void showStore();
});
