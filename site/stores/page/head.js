import { html, nothing } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";
import { fault } from "./parts.js";

/** A store that expires later than this is shown as one that never expires. */
const YEAR_MS = 365 * 86_400_000;

const moment = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});

/** The name of the store and its counts. */
export function headView(page) {
  const { about, store, base, faults, failed } = page;
  return html`
    <section class="wide store-head">
      <div class="which">
        <h1 id="title" class="mono" tabindex="-1">${store}</h1>
        <p class="base">
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
      <dl id="state" class="facts">${about ? factsOf(about) : nothing}</dl>
      ${
        about === null
          ? html`<p id="missing">It does not exist. The first request makes it.</p>`
          : nothing
      }
    </section>
  `;
}

/** Whether a store is deleted when it is not used for a while. Those of the package are not. */
export const expires = ({ expiresAt }) => new Date(expiresAt) - Date.now() < YEAR_MS;

function factsOf(about) {
  const { pets, orders, users, bytes, expiresAt } = about;
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return [
    ["Pets", pets],
    ["Orders", orders],
    ["Users", users],
    ["Size, of 10 MB", size],
    ...(expires(about) ? [["Expires if unused", moment.format(new Date(expiresAt))]] : []),
  ].map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}
