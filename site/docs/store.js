import { contentOf, pathOf, send } from "./own-store.js";
import { itemOf } from "./pets.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 36;
const LABEL_WIDTH = 90;
const NUMBER_WIDTH = 70;

/** The number of pets beside the chart. */
const PETS = 8;
const PETS_PATH = `/v2/pet/findByStatus?status=available,pending,sold&limit=${PETS}`;

/** The last request. An older answer may be from another store. */
let latest;

/**
 * Reads a store and shows it: a bar for each status with its number of pets, and the first pets.
 * @param own the name of a store of one's own; `undefined`: the shared one
 */
export async function showStore(own) {
  const error = document.getElementById("store-error");
  const question = {};
  latest = question;
  try {
    const [counts, pets] = await (own === undefined ? readShared() : readOwn(own));
    if (latest !== question) return;
    draw(document.getElementById("inventory"), Object.entries(counts));
    showPets(
      document.getElementById("pets"),
      pets,
      own === undefined ? "/v2" : `${pathOf(own)}/v2`,
    );
    error.hidden = true;
  } catch {
    error.hidden = false;
  }
}

const readShared = () => Promise.all([read("/v2/store/inventory"), read(PETS_PATH)]);

/** These reads must not appear in the store's log, and the rules for faults must not apply to them. */
async function readOwn(store) {
  const pets = (await contentOf(store)).pets.filter(({ status }) => status);
  const counts = { available: 0, pending: 0, sold: 0 };
  for (const { status } of pets) counts[status] += 1;
  return [counts, pets.slice(0, PETS)];
}

async function read(path) {
  return (await send("GET", path)).json();
}

let shown;

/** Draws only what has changed. Otherwise pictures would flicker, and people would lose the one that they look at. */
function showPets(list, pets, base) {
  const state = JSON.stringify([base, pets]);
  if (state === shown) return;
  shown = state;
  list.replaceChildren(...pets.map((pet) => itemOf(pet, base)));
}

function draw(chart, counts) {
  // One unit of the drawing is one pixel, so that its text is of one size on every screen.
  const room = chart.clientWidth;
  chart.setAttribute("viewBox", `0 0 ${room} ${counts.length * ROW}`);
  const longest = room - LABEL_WIDTH - NUMBER_WIDTH;
  const most = Math.max(1, ...counts.map(([, quantity]) => quantity));
  const title = element("title", { id: "inventory-text" });
  title.textContent = counts.map(([status, quantity]) => `${status}: ${quantity}`).join(", ");
  const rows = counts.flatMap(([status, quantity], index) => {
    const y = index * ROW;
    const width = (longest * quantity) / most;
    const label = element("text", { x: 0, y: y + ROW / 2 });
    label.textContent = status;
    const bar = element("rect", {
      class: status,
      x: LABEL_WIDTH,
      y: y + 6,
      width,
      height: ROW - 12,
    });
    const number = element("text", { x: LABEL_WIDTH + width + 8, y: y + ROW / 2 });
    number.textContent = String(quantity);
    return [label, bar, number];
  });
  chart.replaceChildren(title, ...rows);
}

function element(name, attributes) {
  const created = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value));
  return created;
}
