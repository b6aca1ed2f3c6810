const SVG = "http://www.w3.org/2000/svg";
const ROW = 36;
const LABEL_WIDTH = 90;
const NUMBER_WIDTH = 70;

/** Pets that are shown beside the chart. */
const PETS = 8;
const PETS_PATH = `/v2/pet/findByStatus?status=available,pending,sold&limit=${PETS}`;

/** Reads the store and shows it: a bar for each status with its number of pets, and the first pets. */
export async function showStore() {
  const error = document.getElementById("store-error");
  try {
    const [counts, pets] = await Promise.all([read("/v2/store/inventory"), read(PETS_PATH)]);
    draw(document.getElementById("inventory"), Object.entries(counts));
    showPets(document.getElementById("pets"), pets);
    error.hidden = true;
  } catch {
    error.hidden = false;
  }
}

async function read(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
}

let shown;

/** Nothing is drawn again that is as it was: pictures would flicker, and whoever looks at one would lose it. */
function showPets(list, pets) {
  const state = JSON.stringify(pets);
  if (state === shown) return;
  shown = state;
  list.replaceChildren(...pets.map(itemOf));
}

function itemOf({ name, photoUrls, status }) {
  const item = document.createElement("li");
  const caption = document.createElement("span");
  caption.className = "name";
  caption.textContent = name;
  const note = document.createElement("span");
  note.className = "status";
  note.textContent = status ?? "no status";
  item.append(pictureOf(name, photoUrls), caption, note);
  return item;
}

/** Uploaded images are shown. Other URLs are not: they may be on any host, and nobody asked for them. */
function pictureOf(name, photoUrls) {
  const urls = typeof photoUrls === "string" ? photoUrls.split(",") : photoUrls;
  const uploaded = urls.findLast((url) => /^\/v2\/pet\/\d+\/images\//.test(url));
  const letter = document.createElement("span");
  letter.className = "picture";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = [...name][0];
  if (uploaded === undefined) return letter;
  const image = document.createElement("img");
  image.className = "picture";
  image.alt = "";
  image.src = uploaded;
  image.addEventListener("error", () => image.replaceWith(letter));
  return image;
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
