import { describe, expect, test } from "vitest";
import { sandbox, send } from "../client.ts";
import { classicSandbox } from "./sandboxes.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("the page of a sandbox", () => {
  test("is what a browser gets, also if there is no sandbox, and makes none", async () => {
    const path = sandbox();
    for (const page of ["/sandboxes/", `${path}/`]) {
      const response = await send("GET", page, { headers: BROWSER });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toMatch(/^text\/html/);
      expect(response.headers.get("vary")).toMatch(/accept/i);
      expect(response.headers.get("content-security-policy")).toMatch(/script-src 'self'/);
      expect(await response.text()).toMatch(/<!doctype html>/i);
    }
    const redirect = await send("GET", path, { headers: BROWSER });
    expect(redirect.headers.get("location")).toBe(`${path}/`);
    expect((await send("GET", path)).status).toBe(404);
  });

  test("is for browsers and for its own path only", async () => {
    const path = await classicSandbox();
    for (const Accept of ["*/*", "application/json"]) {
      for (const at of [path, `${path}/`]) {
        const response = await send("GET", at, { headers: { Accept } });
        expect(await response.json()).toMatchObject({ pets: 10 });
      }
    }
    for (const below of ["/data", "/requests", "/v2/store/inventory"]) {
      const { headers } = await send("GET", path + below, { headers: BROWSER });
      expect(headers.get("content-type")).toMatch(/^application\/json/);
    }
    const missing = await send("GET", `${path}/nowhere`, { headers: BROWSER });
    expect(missing.status).toBe(404);
    // The documentation is at the root.
    expect(await missing.text()).toContain('href="/docs/"');
  });
});

test("a browser that opens a name that no sandbox can have gets a page that says what a name looks like", async () => {
  for (const at of ["/sandboxes/short", "/sandboxes/short/", "/sandboxes/short/v2/pet/1", "/sandboxes/a%20b/"]) {
    const page = await send("GET", at, { headers: BROWSER });
    expect(page.status).toBe(404);
    expect(page.headers.get("content-type")).toMatch(/^text\/html/);
    expect(page.headers.get("vary")).toMatch(/accept/i);
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'/);
    const text = await page.text();
    expect(text).toContain("16 to 64");
    expect(text).toContain('href="/sandboxes/"');
    const json = await send("GET", at);
    expect(json.status).toBe(404);
    expect(await json.json()).toMatchObject({ code: 404, errors: [{ path: "sandbox" }] });
  }
});

test("the documents of a sandbox are there without making it", async () => {
  const path = sandbox();
  for (const document of ["/v2/openapi.json", "/v2/swagger.json", "/api/v3/openapi.yaml"]) {
    const response = await send("GET", path + document);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(path);
  }
  expect((await send("GET", path)).status).toBe(404);
});

const allows = async (method: string, path: string, headers: HeadersInit) =>
  (await send(method, path, { headers })).headers.has("access-control-allow-origin");

test("scripts of other origins may use the interfaces of a sandbox, but neither manage nor watch it", async () => {
  const path = await classicSandbox();
  const headers = { Origin: "https://a.example" };
  const preflight = { ...headers, "Access-Control-Request-Method": "PUT" };
  for (const below of ["/v2/pet/1", "/v2/pet/404", "/v2/nowhere", "/api/v3/pet"]) {
    expect(await allows("GET", path + below, headers)).toBe(true);
    expect(await allows("OPTIONS", path + below, preflight)).toBe(true);
  }
  for (const below of ["", "/data", "/access", "/faults", "/requests"]) {
    expect(await allows("GET", path + below, headers)).toBe(false);
    expect(await allows("OPTIONS", path + below, preflight)).toBe(false);
  }
  expect(await allows("POST", "/sandboxes", headers)).toBe(false);
});
