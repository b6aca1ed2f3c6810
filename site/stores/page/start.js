import { parade } from "../../docs/pets.js";
import { html } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";

const SNIPPETS = {
  curl: (base) => `curl ${base}/pet -H 'Content-Type: application/json' \\
  -d '{"name":"Rex","photoUrls":"rex.jpg","status":"available"}'
curl '${base}/pet/findByStatus?status=available'
`,
  JavaScript: (base) => `const api = "${base}";
const added = await fetch(\`\${api}/pet\`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ name: "Rex", photoUrls: "rex.jpg", status: "available" }),
});
console.log(await added.json());
`,
  Python: (base) => `import json
from urllib.request import Request, urlopen

api = "${base}"
pet = {"name": "Rex", "photoUrls": "rex.jpg", "status": "available"}
request = Request(f"{api}/pet", json.dumps(pet).encode(), {"Content-Type": "application/json"})
print(json.load(urlopen(request)))
`,
};

/** How a client uses the store: what the page shows while no request is open. */
export const useView = (page) => html`
  <section class="panel use" aria-labelledby="use-title">
    <div class="head"><h2 id="use-title">Use it</h2></div>
    <p>
      Send requests to this store, and open one in the list to see it whole. A client of Petstore 3
      takes <code>/api/v3</code> in place of <code>/v2</code>.
    </p>
    ${Object.entries(SNIPPETS).map(([language, textFor]) => {
      const text = textFor(page.base);
      return html`
        <div class="snippet">
          <h3>${language}</h3>
          <button
            type="button"
            class="small"
            aria-label="Copy the example in ${language}"
            @click=${() => copy(page, `The example in ${language}`, text)}
          >
            Copy
          </button>
        </div>
        <pre>${text}</pre>
      `;
    })}
  </section>
`;

/** The page where no store is named. */
export const newView = ({ makeNew }) => html`
  <section class="wide new">
    ${parade()}
    <h1>A pet store of your own</h1>
    <p>
      It has the whole interface, some pets, orders and users, and nobody else uses it. Watch your
      client’s requests arrive, make them fail, and put the store into any state. Anyone who knows
      its address can use it. It is deleted when nobody uses it any more.
    </p>
    <button type="button" class="button main" @click=${makeNew}>Make a new store</button>
  </section>
`;
