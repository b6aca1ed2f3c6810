import { base, send } from "./api.js";
import { remember } from "./chosen.js";

const form = document.getElementById("make");
const fault = document.getElementById("fault");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  fault.hidden = true;
  const { data, key } = form.elements;
  const headers = key.disabled ? {} : { "X-API-Key": key.value };
  const chosen = JSON.stringify({ data: data.value });
  try {
    const { name } = await (await send("POST", "", chosen, headers)).json();
    form.reset();
    remember(name, chosen);
    location.assign(`${base}/${name}/`);
  } catch (error) {
    if (error.status === 401 && key.disabled) {
      document.getElementById("key").hidden = false;
      key.disabled = false;
    } else {
      fault.hidden = false;
      fault.textContent = error.message;
    }
    key.focus();
  }
});
