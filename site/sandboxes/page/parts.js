import { html, nothing } from "../../docs/vendor/lit-html.js";

/** An error, beside its cause. */
export const fault = (text, id = nothing) =>
  text ? html`<p class="fault" role="alert" id=${id}>${text}</p>` : nothing;

/** A part of the page. @param aside stands beside the title */
export const panel = (name, title, aside, content) => html`
  <section id=${name} class="panel stack" aria-labelledby="${name}-title">
    <div class="line title">
      <h2 id="${name}-title">${title}</h2>
      ${aside}
    </div>
    ${content}
  </section>
`;

/** A list to choose from. @param options values with their words */
export const select = (name, options, chosen, describedBy = nothing) => html`
  <select class="field" name=${name} aria-describedby=${describedBy}>
    ${options.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`)}
  </select>
`;
