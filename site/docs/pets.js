/**
 * A pet as an item of a list: picture, name and status.
 * @param base the path of the interface, which the URLs of uploaded images begin with
 */
export function itemOf({ name, photoUrls, status }, base) {
  const item = document.createElement("li");
  const caption = document.createElement("span");
  caption.className = "name";
  caption.textContent = name;
  const note = document.createElement("span");
  note.className = "status";
  note.textContent = status ?? "no status";
  item.append(pictureOf(name, photoUrls, base), caption, note);
  return item;
}

/** The path of an uploaded image, below that of the interface, to its end: with `..`, it could lead to a log-out. */
const IMAGE = /^\/pet\/\d+\/images\/[\da-f-]{36}\.(png|jpg|gif|webp)$/;

/**
 * Shows uploaded images only. Other URLs may be on any host, and nobody asked to load them. To the page's own origin an
 * `img` always sends cookies, whatever its `crossorigin` says. An uploaded image is the same with and without them.
 */
function pictureOf(name, photoUrls, base) {
  const urls = typeof photoUrls === "string" ? photoUrls.split(",") : photoUrls;
  const uploaded = urls.findLast(
    (url) => url.startsWith(base) && IMAGE.test(url.slice(base.length)),
  );
  const letter = document.createElement("span");
  letter.className = "picture";
  letter.setAttribute("aria-hidden", "true");
  letter.textContent = [...name][0];
  if (uploaded === undefined) return letter;
  const image = document.createElement("img");
  image.className = "picture";
  image.alt = "";
  // A store of one's own also serves its pictures outside the interface, so that loading them does not appear in its
  // log.
  image.src = base === "/v2" ? uploaded : uploaded.replace("/v2/", "/");
  image.addEventListener("error", () => image.replaceWith(letter));
  return image;
}
