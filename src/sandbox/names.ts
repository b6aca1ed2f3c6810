/** A URL that names a sandbox, without an escaped character in its name. */
export const SANDBOX_URL = /^https?:\/\/[^/]+\/sandboxes\/[A-Za-z0-9_-]{16,64}(?:[/?]|$)/;

/** Returns a sandbox's name and URLs. */
export const sandboxLinks = (name: string, url: string) => ({
  name,
  url: `${url}/v2`,
  petstore3Url: `${url}/api/v3`,
  page: `${url}/`,
});
