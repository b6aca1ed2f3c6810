// What browser.ts asks of the page from within it. Runs in the browser, before the page's own scripts.

document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  console.error(`policy: ${violatedDirective} ${blockedURI}`);
});

globalThis.checks = {
  /** How wide the page is, as far as it can be scrolled. */
  width: () => Math.max(document.documentElement.scrollWidth, innerWidth),

  /** Whether the element that has the focus matches. */
  hasFocus: (selector) => document.activeElement.matches(selector),

  background: () => getComputedStyle(document.body).backgroundColor,

  /** The texts whose contrast with what is behind them is less than that, with their contrast. */
  async tooFaint(selectors, least) {
    // Colours change gradually.
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    return selectors.flatMap((selector) => {
      const elements = [...document.querySelectorAll(selector)];
      if (elements.length === 0) return [`${selector} is not there`];
      return elements
        .map((element) => contrastOf(element))
        .filter((contrast) => contrast < least)
        .map((contrast) => `${selector} ${contrast.toFixed(2)}`);
    });
  },

  /** As it looks before anyone has touched it. */
  rest() {
    document.activeElement.blur();
    scrollTo(0, 0);
  },
};

/** The contrast of WCAG 2, from 1 to 21. */
function contrastOf(element) {
  const { color, fill } = getComputedStyle(element);
  const back = colorBehind(element);
  const text = mix(channels(element instanceof SVGElement ? fill : color), back);
  const [dark, light] = [luminance(text), luminance(back)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function colorBehind(element) {
  if (element === null) return [255, 255, 255];
  const color = channels(getComputedStyle(element).backgroundColor);
  return color.alpha === 1 ? color.rgb : mix(color, colorBehind(element.parentElement));
}

function channels(color) {
  const [red, green, blue, alpha = 1] = color.match(/[\d.]+/g).map(Number);
  return { rgb: [red, green, blue], alpha };
}

function mix({ rgb, alpha }, under) {
  return rgb.map((value, index) => value * alpha + under[index] * (1 - alpha));
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
