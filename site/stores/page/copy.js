/** Copies a text to the clipboard, and says so. */
export async function copy({ say }, what, text) {
  // Browsers offer the clipboard only over TLS or from localhost.
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  say(isCopied ? `${what} is copied.` : "The browser did not allow copying.");
}
