import { expect } from "@playwright/test";
import { ALL_VIEWS, looksRight, looksRightOnDesktop, test } from "./page.ts";

/** The desktop, light and dark. */
const WIDE = ALL_VIEWS.filter(({ width }) => width === 1440);

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

for (const [path, only] of [
  ["v2/openapi.json", /./],
  // The operations that are sent in another way than above.
  ["api/v3/openapi.json", /^(?:updatePet|updatePetWithForm|uploadFile|findPetsByTags|createUsersWithListInput)$/],
  // The same API again: what a Swagger 2.0 document declares in another way.
  ["v2/swagger.json", /^(?:addPet|findPetsByStatus|updatePetWithForm|uploadFile|deletePet)$/],
] as const) {
  test(`tries out the operations of ${path}, with the values that the page proposes`, async ({
    page,
    request,
    sandbox,
  }) => {
    await page.goto(`/docs/?sandbox=${sandbox.name}`);
    await page.getByLabel("Document", { exact: true }).selectOption(path);
    const operations = page.locator(".opblock");
    const { paths } = (await (await request.get(`${sandbox.url}/${path}`)).json()) as { paths: object };
    const all = Object.values(paths).flatMap((item: object) => Object.values(item));
    const count = all.filter((operation: object) => "operationId" in operation).length;
    await expect(operations).toHaveCount(count);

    const failed: string[] = [];
    for (let index = 0; index < count; index++) {
      const operation = operations.nth(index);
      const id = ((await operation.getAttribute("id")) ?? "").split("-").at(-1) ?? "";
      if (!only.test(id)) continue;
      await operation.getByRole("button").first().click();
      // A file cannot be proposed.
      const file = operation.locator("input[type=file]");
      const execute = operation.getByRole("button", { name: "Execute" });
      await expect(execute).toBeVisible();
      if ((await file.count()) > 0) {
        await file.setInputFiles({ name: "rex.png", mimeType: "image/png", buffer: PNG });
      }
      if (id === "getPetImage") {
        // Another operation may have replaced the pet since it got an image.
        const multipart = { file: { name: "rex.png", mimeType: "image/png", buffer: PNG } };
        await request.post(`${sandbox.url}/v2/pet/1/uploadImage`, { multipart });
        const pet = (await (await request.get(`${sandbox.url}/v2/pet/1`)).json()) as { photoUrls: string[] };
        const name = pet.photoUrls.at(-1)?.split("/").at(-1) ?? "";
        await operation.getByLabel("name of getPetImage").fill(name);
      }
      await execute.click();
      const status = operation.locator(".live-responses-table .response-col_status").last();
      await expect(status).toHaveText(/^\d{3}/);
      const text = await status.innerText();
      if (!text.startsWith("200")) failed.push(`${id} ${text}`);
      if (id === "getPetImage") await expect(operation.locator(".live-responses-table img")).toBeVisible();
      await operation.getByRole("button").first().click();
    }
    expect(failed).toEqual([]);
  });
}

test("filters the operations, and is accessible with one of them open", async ({ page }) => {
  await page.goto("/docs/");
  await expect(page.locator(".opblock")).toHaveCount(21);
  await looksRight(page);
  await page.getByLabel("Filter the operations").fill("user login");
  await expect(page.locator(".opblock")).toHaveCount(1);
  await page.getByText("/user/login").click();
  await expect(page.getByLabel("username of loginUser")).toHaveValue("ada");
  await page.getByLabel("Filter the operations").fill("addPet");
  await page.getByText("/pet", { exact: true }).click();
  await expect(page.getByText("Examples:").first()).toBeVisible();
  await page.getByRole("button", { name: "Execute" }).click();
  await expect(page.locator(".live-responses-table .response-col_status").last()).toHaveText(/^200/);
  await looksRight(page, WIDE);
  const stylesOf = async (selector: string, property: string) =>
    page
      .locator(selector)
      .evaluateAll(
        (all, name) => Array.from(new Set(all.map((each) => getComputedStyle(each).getPropertyValue(name)))),
        property,
      );
  // One font for text, and one for code.
  expect(await stylesOf("#explorer *", "font-family")).toHaveLength(2);
  await page.getByLabel("Filter the operations").fill("");
  // Only the methods are colored.
  expect(await stylesOf(".opblock", "background-color")).toHaveLength(1);
  expect(await stylesOf(".opblock-summary-method", "background-color")).toHaveLength(4);
});

test("sends the API key that was entered", async ({ page, request, sandbox }) => {
  const apiKey = "a key of this test";
  await request.put(`${sandbox.url}/access`, { data: { access: "protected", apiKey } });
  await page.goto(`/docs/?sandbox=${sandbox.name}#/pet/deletePet`);
  const operation = page.locator("#operations-pet-deletePet");
  const status = operation.locator(".live-responses-table .response-col_status").last();
  await operation.getByRole("button", { name: "Execute" }).click();
  await expect(status).toHaveText(/^401/);

  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".modal-ux");
  await looksRightOnDesktop(page);
  const form = dialog.locator(".auth-container", { hasText: "X-API-Key" });
  await form.getByRole("textbox").fill(apiKey);
  await form.getByRole("button", { name: "Authorize" }).click();
  await dialog.getByRole("button", { name: "Close" }).first().click();
  await operation.getByRole("button", { name: "Execute" }).click();
  await expect(status).toHaveText(/^200/);
});

test("a page that does not exist leads to the documentation and to the sandboxes", async ({ page }) => {
  const response = await page.goto("/nowhere");
  expect(response?.status()).toBe(404);
  await looksRight(page);
  await expect(page.getByRole("navigation").getByRole("link", { name: "Sandboxes" })).toBeVisible();
  await page
    .getByRole("link", { name: /documentation/i })
    .first()
    .click();
  await expect(page).toHaveURL(/\/docs\/$/);
});
