import * as v from "valibot";

/** "", or an absolute http or https URL without query, fragment or user. The slash at its end is dropped. */
export const PublicUrl = v.pipe(
  v.string(),
  v.check((text) => {
    // The package runs on versions of Node without `URL.parse`.
    if (text === "" || !URL.canParse(text)) return text === "";
    const url = new URL(text);
    return /^https?:$/.test(url.protocol) && url.href === url.origin + url.pathname;
  }, "must be an absolute http or https URL without query, fragment or user"),
  v.transform((text) => text && new URL(text).href.replace(/(?<!\/)\/+$/, "")),
);
