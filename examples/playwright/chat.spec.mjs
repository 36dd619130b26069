import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "waymark/playwright";
import { chatPage, TELEMETRY_HOST } from "./page.mjs";

// The proxy opens the telemetry host and answers it itself: nothing leaves this machine.
test.use({ waymarkProxy: { hosts: [TELEMETRY_HOST], sink: true }, waymarkScenarios: ["simple_collab_switch"] });

let server;
test.beforeAll(async () => {
  server = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(chatPage(process.env.BROKEN === "1"));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
test.afterAll(() => server.close());

test("five chats are opened in order", async ({ page, waymark }) => {
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.click("#general");
  await waymark.marker("Switched to general");
  for (const chat of ["design", "support", "release", "random"]) await page.click(`#${chat}`);
  await expect(page.locator("#open")).toHaveText("random");
  await expect(waymark).toHaveReached("simple_collab_switch", { timeout: 3000 });
});
