/** How long a notice is shown. */
const NOTICE_MS = 5000;

let silence;

/** Says what was done, above everything else on the page. */
export function say(text) {
  const notice = document.getElementById("notice");
  notice.hidePopover();
  notice.textContent = text;
  notice.showPopover();
  clearTimeout(silence);
  silence = setTimeout(() => notice.hidePopover(), NOTICE_MS);
}
