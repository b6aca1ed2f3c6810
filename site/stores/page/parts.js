import { html, nothing } from "../../docs/vendor/lit-html.js";

/** How many more items a click shows. */
const STEP = 500;

/** An error, where its cause is. */
export const fault = (text, id = nothing) =>
  text ? html`<p class="fault" role="alert" id=${id}>${text}</p>` : nothing;

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
    <button type="button" class="small more" aria-controls=${name} @click=${step}>
      ${rest > 0 ? `and ${rest} more` : "Fewer"}
    </button>
  `;
  return [items.slice(0, count), items.length > most ? button : nothing];
}

const tabOf = (id) => `${id}-tab`;

/**
 * Tabs. The arrow keys choose one: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/
 * @param tabs the names by the ids of the panels
 */
export function tabList(label, tabs, chosen, choose) {
  const ids = Object.keys(tabs);
  const move = (event) => {
    const at = ids.indexOf(chosen);
    const to = { ArrowLeft: at - 1, ArrowRight: (at + 1) % ids.length, Home: 0, End: -1 };
    const next = ids.at(to[event.key] ?? at);
    if (next === chosen) return;
    event.preventDefault();
    choose(next);
    document.getElementById(tabOf(next)).focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} @keydown=${move}>
      ${ids.map(
        (id) => html`
          <button
            type="button"
            role="tab"
            id=${tabOf(id)}
            aria-controls=${id}
            aria-selected=${id === chosen}
            tabindex=${id === chosen ? 0 : -1}
            @click=${() => choose(id)}
          >
            ${tabs[id]}
          </button>
        `,
      )}
    </div>
  `;
}
