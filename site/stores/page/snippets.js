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

/** Shows how a client uses the store, with a button to copy each example. */
export function showSnippets(place, base) {
  for (const [language, textFor] of Object.entries(SNIPPETS)) {
    const text = textFor(base);
    const title = document.createElement("h3");
    title.textContent = language;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    copyOnClick(button, `the example in ${language}`, () => text);
    const head = document.createElement("div");
    head.className = "snippet-head";
    head.append(title, button);
    const code = document.createElement("pre");
    // A keyboard must be able to reach everything that scrolls.
    code.tabIndex = 0;
    code.textContent = text;
    place.append(head, code);
  }
}

/** Makes a button copy a text, and say so. */
export function copyOnClick(button, what, textOf) {
  button.setAttribute("aria-label", `Copy ${what}`);
  button.addEventListener("click", async () => {
    // The clipboard exists only if the page came over TLS or from this machine.
    const isCopied = await navigator.clipboard?.writeText(textOf()).then(
      () => true,
      () => false,
    );
    const done = isCopied ? "Copied" : "Cannot copy";
    button.textContent = done;
    button.setAttribute("aria-label", `${done}: ${what}`);
    setTimeout(() => {
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy ${what}`);
    }, 2000);
  });
}
