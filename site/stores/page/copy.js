const blobOf = async (text) => new Blob([await text], { type: "text/plain" });

/** Copies a text, or the text of a promise, to the clipboard, and says so. */
export async function copy({ say }, what, text) {
  // Browsers offer the clipboard only over TLS or from localhost. Safari would refuse a text that is known only later.
  const isCopied = await navigator.clipboard
    ?.write([new ClipboardItem({ "text/plain": blobOf(text) })])
    .then(
      () => true,
      () => false,
    );
  say(isCopied ? `${what} is copied.` : "The browser did not allow copying.");
}
