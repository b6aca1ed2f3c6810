import { base, send } from "./api.js";

const make = document.getElementById("make");
const open = document.getElementById("open");
const key = document.getElementById("key");
const fault = document.getElementById("fault");

const visit = (name) => location.assign(`${base}/${name}/`);

make.addEventListener("submit", async (event) => {
  event.preventDefault();
  fault.hidden = true;
  const input = make.elements.key;
  const headers = input.disabled ? {} : { "X-API-Key": input.value };
  try {
    const { name } = await (await send("POST", "", { data: "classic" }, headers)).json();
    make.reset();
    visit(name);
  } catch (error) {
    if (error.status === 401 && input.disabled) {
      key.hidden = false;
      input.disabled = false;
    } else {
      fault.hidden = false;
      fault.textContent = error.message;
    }
    input.focus();
  }
});

open.addEventListener("submit", (event) => {
  event.preventDefault();
  visit(open.elements.name.value);
});
