/** Puts a text into the clipboard, and says so. */
export async function copy({ say }, what, text) {
  // The clipboard exists only if the page came over TLS or from this machine.
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  say(isCopied ? `${what} is copied.` : "The browser does not allow to copy.");
}
