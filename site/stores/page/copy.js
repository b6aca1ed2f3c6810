const blobOf = async (text) => new Blob([await text], { type: "text/plain" });

/**
 * Copies a text, or the text of a promise, to the clipboard.
 * @param place where an error is shown
 */
export const copy = ({ act }, place, what, text) =>
  act(place, `${what} is copied.`, async () => {
    try {
      // Browsers offer the clipboard only over TLS or from localhost. Safari would refuse a text that is known only later.
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blobOf(text) })]);
    } catch {
      throw new Error("the browser did not allow copying");
    }
  });
