/** The files that the pages load from npm, below `node_modules`. */
export const VENDOR = [
  "swagger-ui-dist/swagger-ui.css",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "swagger-ui-dist/LICENSE",
  "lit-html/lit-html.js",
  "lit-html/directive.js",
  "lit-html/directive-helpers.js",
  "lit-html/directives/repeat.js",
];
