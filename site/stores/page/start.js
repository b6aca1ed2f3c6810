import { parade } from "../../docs/pets.js";
import { html } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";
import { fault, tabList } from "./parts.js";

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

const LANGUAGES = Object.fromEntries(Object.keys(SNIPPETS).map((name) => [name, name]));

/** Examples of clients, shown while no request is open. They are folded once there are requests. */
export function useView(page) {
  const { log, failed } = page;
  const { language: chosen = "curl" } = page;
  const choose = (language) => {
    page.language = language;
    page.draw();
  };
  return html`
    <section class="panel use" aria-labelledby="use-title" ?hidden=${page.hides("use")}>
      <details ?open=${log.isEmpty}>
        <summary><h2 id="use-title">Use it</h2></summary>
        <p>
          Send requests to this store. Open one in the list to see its headers and bodies. Clients
          of Petstore 3 use <code>/api/v3</code> instead of <code>/v2</code>.
        </p>
        ${tabList("Language of the example", LANGUAGES, chosen, choose)} ${fault(failed.use)}
        ${Object.entries(SNIPPETS).map(([language, textFor]) => {
          const text = textFor(page.base);
          return html`
            <div
              id="${language}-panel"
              class="snippet"
              role="tabpanel"
              aria-labelledby="${language}-tab"
              ?hidden=${language !== chosen}
            >
              <button
                type="button"
                class="small"
                aria-label="Copy the example in ${language}"
                @click=${() => copy(page, "use", `The example in ${language}`, text)}
              >
                Copy
              </button>
              <pre>${text}</pre>
            </div>
          `;
        })}
      </details>
    </section>
  `;
}

/** The page at `/stores/`, which names no store. */
export const newView = ({ makeNew, failed }) => html`
  <section class="wide new">
    ${parade()}
    <h1>A sandbox for your API client</h1>
    <p>
      A sandbox is a pet store that only you use. It has the whole interface, and starts with some
      pets, orders and users. Watch your client’s requests arrive, make them fail, and choose the
      data. Anyone who knows its address can use it. It is deleted if it is not used for a while.
    </p>
    <button type="button" class="button main" @click=${makeNew}>Make a sandbox</button>
    ${fault(failed.new)}
  </section>
`;
