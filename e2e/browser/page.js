// What run.ts asks of the page from within it. Runs in the browser, before the page's own scripts.

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

  /** Whether an image was loaded and can be seen. */
  async isShown(selector) {
    const image = document.querySelector(selector);
    await image.decode();
    return image.naturalWidth > 0;
  },

  /** As it looks before anyone has touched it. */
  rest() {
    document.activeElement.blur();
    scrollTo(0, 0);
  },
};
