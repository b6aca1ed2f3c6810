import { html, nothing } from "../../docs/vendor/lit-html.js";

/** @param label what it says to those who do not see it, where its words are not enough */
export const button = (words, click, tone = "", label = nothing) => html`
  <button type="button" class="button ${tone}" aria-label=${label} @click=${click}>${words}</button>
`;

/** An error, beside its cause. */
export const fault = (text) => (text ? html`<p class="fault" role="alert">${text}</p>` : nothing);

/** What is wrong with which member. @param show leads to a member */
export const errorList = (errors, show) => {
  const lines = errors.map(
    ({ path, message }) => html`<p>${path ? button(path, () => show(path), "link") : nothing} ${message}</p>`,
  );
  return lines.length > 0 ? html`<div class="note fault" role="alert">${lines}</div>` : nothing;
};

/** A part of the page. @param aside stands beside the title @param isShown whether a narrow page shows it */
export const panel = (name, title, aside, content, isShown) => html`
  <section id=${name} class="panel stack" ?data-shown=${isShown} aria-labelledby="${name}-title">
    <div class="line apart">
      <h2 id="${name}-title" tabindex="-1">${title}</h2>
      ${aside}
    </div>
    ${content}
  </section>
`;

/** @param rows lists of cells */
export const table = (label, rows) => html`
  <table aria-label=${label}>
    ${rows.map(
      (cells) =>
        html`<tr>
          ${cells.map((cell) => html`<td><bdi>${cell}</bdi></td>`)}
        </tr>`,
    )}
  </table>
`;

/** Any of the values, or one of them. */
export const anyOf = (values, any = "any") => [["", any], ...Array.from(new Set(values), (value) => [value, value])];

/** A list to choose from. @param options values with their words */
export const select = (options, chosen, { name = nothing, label = nothing, change } = {}) => html`
  <select class="field" name=${name} aria-label=${label} @change=${change}>
    ${options.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`)}
  </select>
`;
