// What run.ts asks of the page from within it. Runs in the browser, before the page's own scripts.

const SHOWN_MS = 60_000;

document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  console.error(`policy: ${violatedDirective} ${blockedURI}`);
});

globalThis.checks = {
  /** How wide the page is, as far as it can be scrolled. */
  width: () => Math.max(document.documentElement.scrollWidth, innerWidth),

  /** Whether the element that has the focus matches. */
  hasFocus: (selector) => document.activeElement.matches(selector),

  background: () => getComputedStyle(document.body).backgroundColor,

  /** Waits until no colour changes any more. */
  async settled() {
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  },

  /** Waits until an image can be seen. Swagger UI replaces one while the browser decodes it. */
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

  /** The characters of the longest line in the texts that match. */
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

  /** As it looks before anyone has touched it. */
  rest() {
    document.activeElement.blur();
    scrollTo(0, 0);
  },
};
