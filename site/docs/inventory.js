const SVG = "http://www.w3.org/2000/svg";
const ROW = 36;
const LABEL_WIDTH = 90;
const NUMBER_WIDTH = 70;

/** Reads the inventory and draws it: a bar for each status, with its number of pets. */
export async function showInventory() {
  const chart = document.getElementById("inventory");
  const error = document.getElementById("inventory-error");
  try {
    const response = await fetch("/v2/store/inventory");
    if (!response.ok) throw new Error(`status ${response.status}`);
    draw(chart, Object.entries(await response.json()));
    error.hidden = true;
  } catch {
    error.hidden = false;
  }
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
