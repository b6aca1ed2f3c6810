// The page that creates sandboxes, and lists those that were opened in this browser.
import { html, render } from "../../docs/vendor/lit-html.js";
import { base, send, url } from "./api.js";
import { copyButton } from "./ask.js";
import { remember } from "./chosen.js";
import { button } from "./parts.js";
import { forget, recent } from "./recent.js";

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
    remember(name, chosen);
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

const UNITS = { day: 86_400_000, hour: 3_600_000, minute: 60_000 };
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** A time in words, such as “2 hours ago”. */
function ago(at) {
  const [unit, ms] = Object.entries(UNITS).find((each) => Date.now() - at >= each[1]) ?? ["minute", UNITS.minute];
  return relative.format(-Math.floor((Date.now() - at) / ms), unit);
}

/** Draws the list. @param about what the service says about each sandbox; `null` if there is none */
function drawRecent(about = {}) {
  const remove = (name) => {
    forget(name);
    drawRecent(about);
    element("recent-title").focus();
  };
  const row = ({ name, at }) => html`
    <li class="line apart fixed">
      <a class="mono cut" href="${name}/">${name}</a>
      <span class="quiet">${about[name] === null ? "deleted" : ago(at)}</span>
      ${button("Remove", () => remove(name), "link", `Remove ${name} from this list`)}
    </li>
  `;
  const list = recent();
  const content = html`
    <h2 id="recent-title" tabindex="-1">Recent sandboxes</h2>
    ${
      list.length > 0
        ? html`<ul class="stack">
            ${list.map(row)}
          </ul>`
        : html`<p>The sandboxes that you open appear here.</p>`
    }
    <p class="quiet">This list is kept in this browser only.</p>
  `;
  render(content, element("recent"));
}

const CREATE = {
  curl: `curl -X POST ${url} \\
  -H 'Content-Type: application/json' -d '{"data":"classic"}'`,
  JavaScript: `const response = await fetch("${url}", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ data: "classic" }),
});
const { url, petstore3Url, page } = await response.json();`,
};

const codeView = ([language, code]) => html`
  <section class="panel stack" aria-labelledby="code-${language}">
    <div class="line apart">
      <h2 id="code-${language}">With ${language}</h2>
      ${copyButton(code, `the ${language} code`)}
    </div>
    <pre>${code}</pre>
  </section>
`;

drawRecent();
render(Object.entries(CREATE).map(codeView), element("code"));
const read = async ({ name }) => [
  name,
  await send("GET", `/${name}`).then(
    () => undefined,
    ({ status }) => (status === 404 ? null : undefined),
  ),
];
drawRecent(Object.fromEntries(await Promise.all(recent().map(read))));
