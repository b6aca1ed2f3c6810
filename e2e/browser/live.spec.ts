import { once } from "node:events";
import { createServer, request as forward, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { expect, type Page } from "@playwright/test";
import { looksRightOnDesktop, test as base } from "./page.ts";

/** What a proxy does with WebSockets: passes them on, rejects them, never responds, or opens them and holds them back. */
type Sockets = "passed" | "rejected" | "stalled" | "held";

/** A proxy in front of the service, such as a company's, on an origin of its own. */
class Proxy {
  sockets: Sockets = "passed";
  isDown = false;
  readonly #open = new Set<Socket>();
  readonly #server: Server;

  constructor(service: URL) {
    this.#server = createServer((request, response) => {
      const { method = "GET", url, headers } = request;
      const passed = forward(new URL(url ?? "/", service), { method, headers }, (from) => {
        response.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(response);
      });
      passed.on("error", () => response.destroy());
      response.on("close", () => passed.destroy());
      request.pipe(passed);
    });
    this.#server.on("connection", (socket) => (this.isDown ? socket.destroy() : this.#open.add(socket)));
    this.#server.on("upgrade", (request, client: Socket) => {
      if (this.sockets === "rejected") client.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n");
      if (this.sockets === "rejected" || this.sockets === "stalled") return;
      const server = connect(Number(service.port), service.hostname);
      const lines = request.rawHeaders.map((text, index) => text + (index % 2 === 0 ? ": " : "\r\n"));
      server.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("")}\r\n`);
      // The first part is the response to the handshake.
      server.on("data", (part) => {
        if (this.sockets !== "held" || server.bytesRead === part.length) client.write(part);
      });
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on("error", () => other.destroy()).on("close", () => other.destroy());
      }
      client.on("data", (part) => server.write(part));
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, "localhost"), "listening");
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Closes every connection. */
  lose(): void {
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }

  close(): void {
    this.#server.close();
    this.lose();
  }
}

const test = base.extend<{ company: { readonly via: Proxy; readonly origin: string } }>({
  company: async ({ baseURL }, use) => {
    const via = new Proxy(new URL(baseURL ?? ""));
    await use({ via, origin: await via.listen() });
    via.close();
  },
});

const requests = (page: Page) => page.locator("#rows a");

for (const sockets of ["rejected", "stalled"] as const) {
  test(`polls for requests where WebSockets are ${sockets}`, async ({ page, request, sandbox, company }) => {
    company.via.sockets = sockets;
    await request.get(`${sandbox.url}/v2/pet/1`);
    await page.goto(`${company.origin}/sandboxes/${sandbox.name}/`);
    await expect(requests(page)).toHaveCount(1);
    await expect(page.getByText("Polling", { exact: true })).toBeVisible();
    await looksRightOnDesktop(page);
    for (let sent = 2; sent <= 4; sent++) {
      await request.get(`${sandbox.url}/v2/pet/${sent}`);
      await expect(requests(page)).toHaveCount(sent);
    }
    company.via.sockets = "passed";
    if (sockets === "stalled") company.via.lose();
    // Each attempt to connect waits longer than the one before it.
    await expect(page.getByText("Live", { exact: true })).toBeVisible({ timeout: 60_000 });
  });
}

test("misses no request while its socket is lost, and says that it is offline", async ({
  page,
  request,
  sandbox,
  company,
}) => {
  await page.goto(`${company.origin}/sandboxes/${sandbox.name}/`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await request.get(`${sandbox.url}/v2/pet/1`);
  await expect(requests(page)).toHaveCount(1);
  company.via.sockets = "rejected";
  company.via.lose();
  await request.get(`${sandbox.url}/v2/pet/2`);
  await expect(requests(page)).toHaveCount(2);
  await expect(page.getByText("Polling", { exact: true })).toBeVisible();

  company.via.isDown = true;
  company.via.lose();
  await expect(page.getByText("Offline", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Slow" }).click();
  await expect(page.locator("#rules").getByRole("alert")).toContainText("The service does not respond.");
  await looksRightOnDesktop(page);
  await request.get(`${sandbox.url}/v2/pet/3`);
  company.via.sockets = "passed";
  company.via.isDown = false;
  await expect(page.getByText("Live", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(requests(page)).toHaveCount(3);
});

test("polls where an open socket delivers nothing", async ({ page, request, sandbox, company }) => {
  company.via.sockets = "held";
  await page.goto(`${company.origin}/sandboxes/${sandbox.name}/`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await request.get(`${sandbox.url}/v2/pet/1`);
  await expect(requests(page)).toHaveCount(1);
  await expect(page.getByText("Polling", { exact: true })).toBeVisible();
});

for (const sockets of ["passed", "rejected"] as const) {
  test(`shows a delayed request once, as it waits and completed, with WebSockets ${sockets}`, async ({
    page,
    request,
    sandbox,
    company,
  }) => {
    company.via.sockets = sockets;
    await page.goto(`${company.origin}/sandboxes/${sandbox.name}/`);
    await expect(page.getByText(sockets === "passed" ? "Live" : "Polling")).toBeVisible();
    const delayed = request.get(`${sandbox.url}/v2/pet/1`, { headers: { Prefer: "delay=4" } });
    await expect(requests(page)).toContainText("waiting");
    await page.goto(`${page.url().split("#")[0]}#1`);
    await expect(page.locator("#details")).toContainText("The response is delayed.");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("combobox", { name: "Status" }).selectOption("none");
    await expect(requests(page)).toHaveCount(0);
    await page.getByRole("combobox", { name: "Status" }).selectOption("any");
    await page.keyboard.press("Escape");
    await request.get(`${sandbox.url}/v2/pet/2`);
    await expect(requests(page)).toHaveCount(2);
    await delayed;
    // The one that was completed stays below newer ones, and does not hide those that follow.
    await expect(requests(page).last()).toContainText(/4\d{3} ms/);
    await expect(page.locator("#details")).toContainText("Cat 1");
    await request.get(`${sandbox.url}/v2/pet/3`);
    await expect(requests(page)).toHaveCount(3);
    expect(await requests(page).evaluateAll((all) => all.map((each) => each.getAttribute("href")))).toEqual([
      "#3",
      "#2",
      "#1",
    ]);
  });
}
