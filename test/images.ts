/** A PNG of one pixel. */
export const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** A form with a file, and with metadata if there is any. */
export function imageForm(file: File, additionalMetadata?: string): FormData {
  const form = new FormData();
  if (additionalMetadata !== undefined) form.set("additionalMetadata", additionalMetadata);
  form.set("file", file);
  return form;
}

/** What uploads that PNG. */
export const upload = () => ({ body: imageForm(new File([PNG], "rex.png")) });
