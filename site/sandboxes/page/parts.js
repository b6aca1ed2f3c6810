import { html, nothing } from "../../docs/vendor/lit-html.js";

/** @param label the accessible name, where the words are not enough */
export const button = (words, click, tone = "", label = nothing) => html`
  <button type="button" class="button ${tone}" aria-label=${label} @click=${click}>${words}</button>
`;

/** Closes the menu of an event, so that the focus returns to the button that opened it. */
export const closeMenu = ({ currentTarget }) => currentTarget.closest("[popover]")?.hidePopover();

/** A button in a menu. */
export const menuItem = (words, click, tone) =>
  button(
    words,
    (event) => {
      closeMenu(event);
      return click();
    },
    tone,
  );

/** A button that opens a menu. */
export const menu = (id, words, label, content) => html`
  <button type="button" class="button" popovertarget=${id}>${words}</button>
  <div id=${id} class="menu panel stack" popover role="group" aria-label=${label}>${content}</div>
`;

/** An error, beside its cause. */
export const fault = (text) => (text ? html`<p class="fault" role="alert">${text}</p>` : nothing);

/** Invalid fields, with messages. @param show leads to a field */
export const errorList = (errors, show) => {
  const lines = errors.map(
    ({ path, message }) => html`<p>${path ? button(path, () => show(path), "link") : nothing} ${message}</p>`,
  );
  return lines.length > 0 ? html`<div class="note fault" role="alert">${lines}</div>` : nothing;
};

/** A section of the page. @param aside stands next to the title @param isShown whether a narrow page shows it */
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

/** Options for any of the values, or one of them. */
export const anyOf = (values, any = "any") => [["", any], ...Array.from(new Set(values), (value) => [value, value])];

/** A list to choose from. @param options values with their words */
export const select = (options, chosen, { name = nothing, label = nothing, change, error = nothing } = {}) => html`
  <select class="field" name=${name} aria-label=${label} aria-describedby=${error} @change=${change}>
    ${options.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`)}
  </select>
`;

/** A choice of two, as buttons next to each other. @param options values with their words */
export const switches = (name, label, options, chosen, change) => html`
  <fieldset class="switches line fixed keep" aria-label=${label}>
    ${options.map(
      ([value, words]) =>
        html`<label class="button">
          <input type="radio" name=${name} .checked=${value === chosen} @change=${() => change(value)} />${words}
        </label>`,
    )}
  </fieldset>
`;
