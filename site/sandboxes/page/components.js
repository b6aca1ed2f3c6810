// The parts that pages are made of: buttons, menus, panels, tables, dialogs, and notices.
import { html, nothing, render } from "../../docs/vendor/lit-html.js";

/** @param label the accessible name, where the words are not enough */
export const button = (words, click, tone = "", label = nothing) => html`
  <button type="button" class="button ${tone}" aria-label=${label} @click=${click}>${words}</button>
`;

/** The lines of each icon, in a square of 16. */
const ICONS = {
  again: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
  clear: "M3 4.5h10M6.5 4v-1.5h3V4M4.5 5l.5 8.5h6l.5-8.5M7 7.5v3.5M9 7.5v3.5",
  close: "M4 4l8 8M12 4l-8 8",
  down: "M8 3v10M4 9l4 4 4-4",
  edit: "M10.5 3l2.5 2.5-7 7-3 .5.5-3z",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  more: "M3 7.5v1M8 7.5v1M13 7.5v1",
  pause: "M6 4v8M10 4v8",
  resume: "M5 3.5v9l7-4.5z",
  up: "M8 13V3M4 7l4-4 4 4",
};

export const icon = (name) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

/** A button that shows only an icon. @param label its name, and its tooltip */
export const iconButton = (name, label, click) => html`
  <button type="button" class="button ghost" title=${label} @click=${click}>${icon(name)}</button>
`;

/** Closes a menu before one of its buttons acts, so that the focus returns to the button that opened it. */
const closing = {
  capture: true,
  handleEvent: ({ target, currentTarget }) => target.closest("button") && currentTarget.hidePopover(),
};

/** A button that opens a menu. @param face what the button shows @param label its name, if the face has no words */
export const menu = (id, face, label, content) => html`
  <button type="button" class="button ghost" popovertarget=${id} title=${label}>${face}</button>
  <div id=${id} class="menu panel" popover role="group" aria-label=${label} @click=${closing}>
    <div class="stack">${content}</div>
  </div>
`;

/** An error, beside its cause. */
export const fault = (text) => (text ? html`<p class="fault" role="alert">${text}</p>` : nothing);

/** A section of the page. @param aside stands next to the title @param isShown whether it is the chosen tab */
export const panel = (name, title, aside, content, isShown) => html`
  <section id=${name} class="stack" ?data-shown=${isShown} aria-labelledby="${name}-title">
    <div class="line apart">
      <h2 id="${name}-title" tabindex="-1">${title}</h2>
      <div class="line">${aside}</div>
    </div>
    ${content}
  </section>
`;

const cellView = (cell) => html`<td><bdi>${cell}</bdi></td>`;

/** @param rows lists of cells @param kind the CSS class */
export const table = (label, rows, kind) => html`
  <table class=${kind} aria-label=${label}>
    ${rows.map(
      (cells) =>
        html`<tr>
          ${cells.map(cellView)}
        </tr>`,
    )}
  </table>
`;

/** Options for any of the values, or one of them. */
export const anyOf = (values, any = "any") => [["", any], ...Array.from(new Set(values), (value) => [value, value])];

/** A list to choose from. @param options values with their words */
export const select = (options, chosen, { name = nothing, change, error = nothing }) => html`
  <select class="field" name=${name} aria-describedby=${error} @change=${change}>
    ${options.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`)}
  </select>
`;

/** A choice of a few, as buttons next to each other. @param options values with their words */
export const switches = (name, label, options, chosen, change) => html`
  <fieldset class="switches" aria-label=${label}>
    ${options.map(
      ([value, words]) =>
        html`<label class="button ghost">
          <input type="radio" name=${name} .checked=${value === chosen} @change=${() => change(value)} />${words}
        </label>`,
    )}
  </fieldset>
`;

const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A time, such as “28 Nov 2026, 08:41:53”. */
export const exactTime = (at) => moment.format(at);

/** How long ago a time is, such as “5m ago”. */
export function relativeTime(at) {
  const minutes = Math.floor((Date.now() - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 60 / 24)}d ago`;
}

/** How long a notice is shown. */
const NOTICE_MS = 5000;

let silence;

/** Says what was done, above everything else on the page. */
export function say(text) {
  const notice = document.getElementById("notice");
  notice.hidePopover();
  notice.textContent = text;
  notice.showPopover();
  clearTimeout(silence);
  silence = setTimeout(() => notice.hidePopover(), NOTICE_MS);
}

/**
 * Asks in a dialog, such as before something is lost.
 * @param content what is deleted and what stays, or fields
 * @returns the fields of the content, or `undefined` if the action is canceled
 */
export async function ask(title, content, action, tone = "") {
  const dialog = document.getElementById("ask");
  const form = html`
    <form method="dialog" class="stack" autocomplete="off">
      <h2 id="ask-title">${title}</h2>
      ${content}
      <div class="line end">
        ${button("Cancel", () => dialog.close(""))}
        <button class="button main ${tone}" value="yes">${action}</button>
      </div>
    </form>
  `;
  // Without what was entered before.
  render(nothing, dialog);
  render(form, dialog);
  dialog.returnValue = "";
  dialog.showModal();
  dialog.querySelector("textarea")?.select();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue ? new FormData(dialog.querySelector("form")) : undefined;
}

/** A dialog that is not left at once. @param leave is called by Escape */
export function dialogView(id, content, leave) {
  const cancel = (event) => {
    event.preventDefault();
    leave();
  };
  return html`<dialog class="panel" id=${id} aria-labelledby="${id}-title" @cancel=${cancel}>${content}</dialog>`;
}

/** Closes a dialog, but loses nothing without asking. @param rest says what stays */
export async function leaveDialog(id, isChanged, rest) {
  const isLeft = !isChanged || (await ask("Discard your changes?", html`<p>${rest}</p>`, "Discard", "danger"));
  if (isLeft) document.getElementById(id).close();
}

/** Copies a text. Where the browser does not allow it, as on plain HTTP, shows the text to be copied manually. */
async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${what}.`);
  } catch {
    const content = html`
      <p>The browser does not let this page copy. The text is selected: copy it with Ctrl C or ⌘ C.</p>
      <textarea class="field mono" rows="8" readonly aria-label="Text to copy" .value=${text}></textarea>
    `;
    await ask(`Copy ${what}`, content, "Done");
  }
}

/** @param text to copy @param what says what it is, such as “the curl command” */
export const copyButton = (text, what, words = "Copy", tone = "ghost") =>
  button(words, () => copy(text, what), tone, words === "Copy" ? `Copy ${what}` : words);
