import { parade } from "../../docs/pets.js";
import { html, nothing } from "../../docs/vendor/lit-html.js";
import { copy } from "./copy.js";
import { RequestLog } from "./log.js";
import { fault, tabList } from "./parts.js";
import { rowsOf } from "./requests.js";

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

/** Examples of clients. They are folded once there are requests. */
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
              class="stack"
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

const EXAMPLE_RULE = { operationId: "addPet", status: 503, times: 1 };

/** What the page of a sandbox shows after a few requests. */
const EXAMPLE = { log: new RequestLog(), filter: {}, rules: [EXAMPLE_RULE] };
EXAMPLE.log.show(
  [
    ["GET", "/v2/pet/findByStatus", "findPetsByStatus", 200, { query: "status=available" }],
    ["POST", "/v2/pet", "addPet", 200, { retryOf: 3 }],
    ["POST", "/v2/pet", "addPet", 503, { rule: EXAMPLE_RULE, replaced: true }],
    ["POST", "/v2/pet", "addPet", 405, { errors: [{ path: "name" }, { path: "photoUrls" }] }],
    ["GET", "/v2/pet/1", "getPetById", 200],
  ].map(([method, path, operationId, status, more], index) => {
    const at = Date.UTC(2026, 0, 1, 9, 30, 20 - index);
    return { id: 5 - index, at, method, path, operationId, status, ms: 4 + (index % 3), ...more };
  }),
);

/** The page at `/stores/`, which names no store. */
export const newView = (page) => html`
  <section class="wide hero columns">
    <div class="stack">
      ${parade()}
      <h1>A sandbox for your API client</h1>
      <p>
        A sandbox is a pet store that only you use. It has the whole interface, and starts with some
        pets, orders and users. Watch your client’s requests arrive, make them fail, and choose the
        data. Anyone who knows its address can use it. The service deletes it 24 hours after its
        last request. <a href="/docs/">The documentation</a> lists the operations.
      </p>
      ${makeView(page)} ${fault(page.failed.new)} ${page.made.length > 0 ? madeView(page) : nothing}
    </div>
    <figure class="stack">
      <div class="panel list" inert>
        <div class="title line"><h2>Requests</h2></div>
        <ol class="requests">
          ${rowsOf(EXAMPLE)}
        </ol>
      </div>
      <figcaption class="quiet">
        The page of a sandbox, newest request first. A pet without a name is refused. A rule answers
        the next one with 503, and the client retries.
      </figcaption>
    </figure>
  </section>
`;

/** The button that makes a sandbox, with a field for the API key once the service has asked for it. */
const makeView = ({ makeNew, needsKey }) => html`
  <form class="stack" autocomplete="off" @submit=${makeNew}>
    ${
      needsKey
        ? html`<label class="stack">
            <span>
              This service makes sandboxes only for its owner. Enter the API key; the page does not
              keep it.
            </span>
            <input class="field" type="password" name="key" aria-label="API key" required />
          </label>`
        : nothing
    }
    <p><button class="button main">Make a sandbox</button></p>
  </form>
`;

/** The sandboxes that this browser made. */
const madeView = ({ made, forget }) => html`
  <h2 id="made-title">Made in this browser</h2>
  <ul id="made" class="stack" aria-labelledby="made-title">
    ${made.map(
      ({ name, state }) => html`
        <li class="line">
          <a class="mono" href="/stores/${name}/">${name}</a>
          <span class="quiet">${state}</span>
          <button
            type="button"
            class="small aside"
            aria-label="Forget ${name}"
            @click=${() => forget(name)}
          >
            Forget
          </button>
        </li>
      `,
    )}
  </ul>
`;
