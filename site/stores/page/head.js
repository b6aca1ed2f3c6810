import { html, nothing } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";
import { fault } from "./parts.js";

/** A store that expires later than this is shown as one that never expires. */
const YEAR_MS = 365 * 86_400_000;

export const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** The name of the store and its counts. */
export function headView(page) {
  const { about, store, base, faults, failed } = page;
  return html`
    <section class="wide line">
      <div>
        <h1 id="title" class="mono" tabindex="-1">${store}</h1>
        <p class="line quiet">
          <code id="base">${base}</code>
          <button
            type="button"
            class="small"
            aria-label="Copy the base URL"
            @click=${() => copy(page, "base", "The base URL", base)}
          >
            Copy
          </button>
        </p>
      </div>
      ${fault(failed.base)} ${fault(faults.about)}
      <ul id="state" class="line aside quiet">
        ${about ? factsOf(about) : nothing}
      </ul>
      ${
        about === null
          ? html`<p id="missing">
              It does not exist. The first request makes it, where anyone may make sandboxes.
            </p>`
          : nothing
      }
    </section>
  `;
}

/** Whether a store is deleted when it is not used for a while. Those of the package are not. */
export const expires = ({ expiresAt }) => new Date(expiresAt) - Date.now() < YEAR_MS;

const sizeOf = (bytes) =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

function factsOf(about) {
  const { pets, orders, users, bytes, expiresAt } = about;
  const counts = [
    [pets, "pets"],
    [orders, "orders"],
    [users, "users"],
    [sizeOf(bytes), "of 10 MB"],
  ];
  return html`
    ${counts.map(([value, unit]) => html`<li><b>${value}</b> ${unit}</li>`)}
    ${
      expires(about)
        ? html`<li>expires <b>${moment.format(new Date(expiresAt))}</b> if unused</li>`
        : nothing
    }
  `;
}
