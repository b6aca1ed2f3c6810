import { html, nothing } from "../../docs/vendor/lit-html.js";
import { explain } from "./explain.js";

/** How many more items a click shows. */
const STEP = 500;

/** Says that a part of the page is being read. */
export const loading = (what) => html`<p class="quiet" role="status">${what} loading.</p>`;

/** An error, where its cause is. */
export const fault = (text, id = nothing) =>
  text ? html`<p class="fault" role="alert" id=${id}>${text}</p>` : nothing;

/** What a rule does. A text that a client sent may run from right to left, so it stands apart. */
export const sentence = (rule) =>
  explain(rule).map((part) =>
    typeof part === "string" ? part : html`<code dir="auto">${part.given}</code>`,
  );

/**
 * A part of the page, which is the panel of a tab on a phone.
 * @param aside stands beside the title
 */
export const panel = ({ isPhone, hides }, name, title, aside, content) => html`
  <section
    id="${name}-panel"
    class="panel ${name}"
    role=${isPhone ? "tabpanel" : nothing}
    aria-labelledby="${name}-title"
    ?hidden=${hides(name)}
  >
    <div class="title line">
      <h2 id="${name}-title">${title}</h2>
      ${aside}
    </div>
    ${content}
  </section>
`;

/**
 * The first items of a list, and the button that shows more.
 * @param name the id of the list
 */
export function cut({ opened, draw }, name, items, most) {
  const count = opened[name] ?? most;
  const rest = items.length - count;
  const step = () => {
    opened[name] = rest > 0 ? count + STEP : undefined;
    draw();
  };
  const button = html`
    <button type="button" class="small" aria-controls=${name} @click=${step}>
      ${rest > 0 ? `and ${rest} more` : "Fewer"}
    </button>
  `;
  return [items.slice(0, count), items.length > most ? button : nothing];
}

/**
 * Tabs. The arrow keys choose one: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 * @param tabs the names of the tabs by those of their panels
 */
export function tabList(label, tabs, chosen, choose) {
  const names = Object.keys(tabs);
  const move = (event) => {
    const at = names.indexOf(chosen);
    const to = { ArrowLeft: at - 1, ArrowRight: (at + 1) % names.length, Home: 0, End: -1 };
    const next = names.at(to[event.key] ?? at);
    if (next === chosen) return;
    event.preventDefault();
    choose(next);
    document.getElementById(`${next}-tab`).focus();
  };
  return html`
    <div class="tabs line" role="tablist" aria-label=${label} @keydown=${move}>
      ${names.map(
        (name) => html`
          <button
            type="button"
            class="small"
            role="tab"
            id="${name}-tab"
            aria-controls="${name}-panel"
            aria-selected=${name === chosen}
            tabindex=${name === chosen ? 0 : -1}
            @click=${() => choose(name)}
          >
            ${tabs[name]}
          </button>
        `,
      )}
    </div>
  `;
}
