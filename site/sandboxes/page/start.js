import { html, nothing, render } from "../../docs/vendor/lit-html.js";
import { base, send } from "./api.js";
import { fault } from "./parts.js";

/** Whether only the owner of the service makes sandboxes, and why none was made. */
const state = { needsKey: false, failed: undefined };

const draw = () => render(view(), document.getElementById("page"));

/** The page that makes a sandbox, or opens one by its name. */
export const showStart = draw;

const view = () => html`
  <div class="start">
    <div class="stack text">
      <h1>A pet store that only you use</h1>
      <p>
        A sandbox has both interfaces of the pet store, with its own pets, orders and users. Its
        page shows each request of your client as it arrives, and makes requests fail on demand.
      </p>
      <p>Anyone who knows the name can use the sandbox. It is deleted if nobody uses it.</p>
    </div>
    <form class="panel stack" id="make" autocomplete="off" @submit=${make}>
      <h2>Make a sandbox</h2>
      <p>It gets a random name, ten pets, three orders and ten users.</p>
      ${
        state.needsKey
          ? html`<label class="stack">
              API key of this service
              <input class="field" type="password" name="key" required />
            </label>`
          : nothing
      }
      ${fault(state.failed)}
      <div><button class="button main">Make a sandbox</button></div>
    </form>
    <form class="panel stack" id="open" autocomplete="off" @submit=${open}>
      <h2>Open a sandbox</h2>
      <label class="stack">
        Name
        <input
          class="field mono"
          name="name"
          required
          pattern="[A-Za-z0-9_\\-]{16,64}"
          title="16 to 64 of A-Z a-z 0-9 _ -"
          aria-describedby="name-rule"
          spellcheck="false"
        />
      </label>
      <p class="quiet" id="name-rule">16 to 64 of A-Z a-z 0-9 _ -</p>
      <div><button class="button">Open</button></div>
    </form>
  </div>
`;

const visit = (name) => location.assign(`${base}/${name}/`);

async function make(event) {
  event.preventDefault();
  const key = event.target.elements.key?.value;
  try {
    const headers = key ? { "X-API-Key": key } : {};
    visit((await (await send("POST", "", { data: "classic" }, headers)).json()).name);
  } catch (error) {
    const isAsked = error.status === 401 && !state.needsKey;
    Object.assign(state, isAsked ? { needsKey: true } : { failed: error.message });
    draw();
    document.querySelector("[name=key]")?.focus();
  }
}

function open(event) {
  event.preventDefault();
  visit(event.target.elements.name.value);
}
