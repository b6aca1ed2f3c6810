// The page that creates sandboxes, and lists those that were opened in this browser.
import { html, render } from "../../docs/vendor/lit-html.js";
import { base, send, url } from "./api.js";
import { copyButton, exactTime, iconButton, relativeTime, switches } from "./components.js";
import { forget, recent, rememberData } from "./storage.js";

const element = (id) => document.getElementById(id);
const form = element("create");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  element("fault").hidden = true;
  const { data, key } = form.elements;
  const headers = key.disabled ? {} : { "X-API-Key": key.value };
  const chosen = JSON.stringify({ data: data.value });
  try {
    const { name } = await (await send("POST", "", chosen, { headers })).json();
    form.reset();
    rememberData(name, chosen);
    location.assign(`${base}/${name}/`);
  } catch (error) {
    if (error.status === 401 && key.disabled) {
      element("key").hidden = false;
      key.disabled = false;
    } else {
      element("fault").hidden = false;
      element("fault").textContent = error.message;
    }
    key.focus();
  }
});

/** The names of sandboxes that were deleted. */
const gone = new Set();

function drawRecent() {
  const remove = (name) => {
    forget(name);
    drawRecent();
    element("recent-title").focus();
  };
  const row = ({ name, nickname, at }) => html`
    <li>
      <a class="cut ${nickname ? "" : "mono"}" href="${name}/" title=${name}>${nickname || name}</a>
      <span class="quiet small" title=${exactTime(at)}>${gone.has(name) ? "deleted" : relativeTime(at)}</span>
      ${iconButton("close", `Remove ${nickname || name} from this list`, () => remove(name))}
    </li>
  `;
  const list = recent();
  const content = html`
    <h2 id="recent-title" tabindex="-1">Recent sandboxes</h2>
    <ul>
      ${list.map(row)}
    </ul>
    <p ?hidden=${list.length > 0}>The sandboxes that you open appear here.</p>
    <p class="quiet small">This list is kept in this browser only.</p>
  `;
  render(content, element("recent"));
}

/** How to create a sandbox in a test. */
const CODE = {
  curl: `curl '${url}' -H 'Content-Type: application/json' -d '{"data":"classic"}'`,
  JavaScript: `const response = await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: '{"data":"classic"}',
});
const sandbox = await response.json();
console.log(sandbox.url);`,
  Python: `import json, urllib.request

request = urllib.request.Request("${url}", b'{"data":"classic"}', {"Content-Type": "application/json"})
sandbox = json.load(urllib.request.urlopen(request))
print(sandbox["url"])`,
};

/** Draws the code in a language. */
function drawCode(language) {
  const languages = Object.keys(CODE).map((each) => [each, each]);
  const content = html`
    <h2 id="code-title">Create one in a test</h2>
    <div class="line apart">
      ${switches("language", "Language", languages, language, drawCode)}
      ${copyButton(CODE[language], `the ${language} code`)}
    </div>
    <pre>${CODE[language]}</pre>
  `;
  render(content, element("code"));
}

drawRecent();
drawCode("curl");
for (const { name } of recent()) {
  send("GET", `/${name}`).catch(({ status }) => {
    if (status === 404) gone.add(name);
    drawRecent();
  });
}
