// The page that makes a sandbox, or opens one by its name.
import { send } from "./api.js";

const make = document.getElementById("make");
const open = document.getElementById("open");
const key = document.getElementById("key");
const fault = document.getElementById("fault");

const visit = (name) => location.assign(`${name}/`);

make.addEventListener("submit", async (event) => {
  event.preventDefault();
  fault.hidden = true;
  const headers = key.hidden ? {} : { "X-API-Key": make.elements.key.value };
  try {
    const { name } = await (
      await send("POST", "../sandboxes", { data: "classic" }, headers)
    ).json();
    make.reset();
    visit(name);
  } catch (error) {
    if (error.status === 401 && key.hidden) {
      // Only the owner of the service makes sandboxes here.
      key.hidden = false;
      make.elements.key.disabled = false;
      make.elements.key.focus();
      return;
    }
    fault.hidden = false;
    fault.textContent = `No sandbox was made: ${error.message}`;
  }
});

open.addEventListener("submit", (event) => {
  event.preventDefault();
  visit(open.elements.name.value);
});
