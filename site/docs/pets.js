import { html, svg } from "./vendor/lit-html.js";

/** The drawings in pets.svg, with the words that select them. */
const KINDS = {
  cat: /\b(?:cat|kitten|kitty|tabby)s?\b/i,
  dog: /\b(?:dog|puppy|puppies|hound|poodle|doggie)s?\b/i,
  lion: /\b(?:lion|lioness)(?:es|s)?\b/i,
  rabbit: /\b(?:rabbit|bunny|bunnies|hare)s?\b/i,
  bird: /\b(?:bird|parrot|canary|canaries|budgie|finch|owl|chicken|duck)(?:es|s)?\b/i,
  fish: /\b(?:fish|goldfish|carp|salmon|trout|shark)(?:es|s)?\b/i,
};

/** The complete path of an uploaded image below the base path. A path with `..` could log the user out. */
const IMAGE = /^\/pet\/\d+\/images\/[\da-f-]{36}\.(png|jpg|gif|webp)$/;

/** Uploaded images that the browser cannot show. */
const broken = new Set();

/**
 * A pet as an item of a list: picture, name, id and status.
 * @param base the base path of the interface; the URLs of uploaded images begin with it
 * @param redraw is called when an image cannot be shown
 */
export function itemOf(pet, base, redraw) {
  const { id, name, status } = pet;
  return html`<li>
    ${pictureOf(pet, base, redraw)}
    <b class="cut" title=${name}><bdi>${name}</bdi></b>
    <span class="id cut quiet mono" title=${id}>${id}</span>
    <span class="cut quiet dot ${status ?? ""}">${status ?? "no status"}</span>
  </li>`;
}

const drawingOf = (kind) =>
  html`<svg class="picture" aria-hidden="true">${svg`<use href="/docs/pets.svg#${kind}" />`}</svg>`;

/** Every drawing. */
export const parade = () =>
  html`<div class="pets columns">${Object.keys(KINDS).map(drawingOf)}</div>`;

/**
 * Shows uploaded images only: other URLs may be on any host. An `img` sends cookies to the page's origin, whatever its
 * `crossorigin` says, so its path must not have side effects.
 */
function pictureOf({ name, category, photoUrls }, base, redraw) {
  const urls = typeof photoUrls === "string" ? photoUrls.split(",") : photoUrls;
  const url = urls.findLast((each) => each.startsWith(base) && IMAGE.test(each.slice(base.length)));
  if (url === undefined) {
    const kindOf = (text = "") => Object.keys(KINDS).find((kind) => KINDS[kind].test(text));
    return drawingOf(kindOf(category?.name) ?? kindOf(name) ?? "pet");
  }
  if (broken.has(url)) return html`<span class="picture" aria-hidden="true">${[...name][0]}</span>`;
  // A sandbox also serves images outside the interface, where requests are not recorded.
  const source = base === "/v2" ? url : url.replace("/v2/", "/");
  // A browser reports a damaged image as loaded, but shows nothing.
  const verify = ({ target }) =>
    createImageBitmap(target).then(
      (bitmap) => bitmap.close(),
      () => {
        if (target.getAttribute("src") !== source) return;
        broken.add(url);
        redraw();
      },
    );
  return html`<img class="picture" alt="" src=${source} @load=${verify} @error=${verify} />`;
}
