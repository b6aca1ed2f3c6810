import { html, render } from "../../docs/vendor/lit-html.js";
import { say } from "./notice.js";
import { button } from "./parts.js";

/**
 * Asks before something is lost.
 * @param content what is deleted and what stays
 * @returns the fields of the content, or `undefined` if the action is canceled
 */
export async function ask(title, content, action, tone = "main") {
  const dialog = document.getElementById("ask");
  const form = html`
    <form method="dialog" class="stack" autocomplete="off">
      <h2 id="ask-title">${title}</h2>
      ${content}
      <div class="line end">
        ${button("Cancel", () => dialog.close(""))}
        <button class="button ${tone}" value="yes">${action}</button>
      </div>
    </form>
  `;
  render(form, dialog);
  dialog.returnValue = "";
  dialog.showModal();
  dialog.querySelector("textarea")?.select();
  await new Promise((resolve) => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue ? new FormData(dialog.querySelector("form")) : undefined;
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
export const copyButton = (text, what, words = "Copy", tone = "") =>
  button(words, () => copy(text, what), tone, words === "Copy" ? `Copy ${what}` : words);
