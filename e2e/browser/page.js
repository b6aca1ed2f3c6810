// Runs in the browser before the scripts of the page. visit.ts calls these functions.

const SHOWN_MS = 60_000;

document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  console.error(`policy: ${violatedDirective} ${blockedURI}`);
});

globalThis.checks = {
  /** The width of the page, including what must be scrolled to. */
  width: () => Math.max(document.documentElement.scrollWidth, innerWidth),

  /** Whether the focused element matches. */
  hasFocus: (selector) => document.activeElement.matches(selector),

  background: () => getComputedStyle(document.body).backgroundColor,

  /** Waits until all animations have finished. */
  async settled() {
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  },

  /** Waits until an image is decoded. Swagger UI may replace it meanwhile. */
  async isShown(selector) {
    const deadline = performance.now() + SHOWN_MS;
    while (performance.now() < deadline) {
      const image = document.querySelector(selector);
      const isDecoded = image?.decode().then(
        () => image.naturalWidth > 0,
        () => false,
      );
      if (await isDecoded) return true;
      await new Promise(requestAnimationFrame);
    }
    return false;
  },

  /** The number of characters in the longest line of matching texts. */
  longestLine(selector) {
    const lines = new Map();
    for (const text of document.querySelectorAll(selector)) {
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const range = new Range();
        for (let at = 0; at < walker.currentNode.length; at++) {
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + 1);
          const bottom = Math.round(range.getBoundingClientRect().bottom / 10);
          lines.set(bottom, (lines.get(bottom) ?? 0) + 1);
        }
      }
    }
    return Math.max(...lines.values());
  },

  /** Brings the page into its initial state. */
  rest() {
    document.activeElement.blur();
    scrollTo(0, 0);
  },
};
