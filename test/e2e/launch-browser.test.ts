import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test from "node:test";
import { browserArguments } from "../../proxy/launch/index.ts";
import { CHROMIUM, NEEDS_CHROMIUM } from "../support/chromium.ts";
import { stageLaunch } from "../support/launched-client.ts";
import { pageThatSends } from "../support/sending-page.ts";

const BROWSER = CHROMIUM ?? "";
/** Flags a test machine needs; they are the user's, so the launcher keeps them. */
const HEADLESS = ["--headless", "--no-sandbox", "--disable-gpu"];

test("a browser that is the command sends through the proxy, from its own profile", NEEDS_CHROMIUM, async (t) => {
  const stage = await stageLaunch(t);
  const url = await pageThatSends(t, "browser");
  const order = { ...stage, folder: join(stage.folder, "run"), evidence: true };
  const { command, profile = "", kind } = browserArguments([BROWSER, ...HEADLESS, url], order);
  assert.equal(kind, "chromium");
  const sent = stage.collector.nextPost();
  const launched = stage.start(command);
  await Promise.race([sent, launched.ended]);
  assert.match(readFileSync(join(profile, "DevToolsActivePort"), "utf8"), /^[0-9]+\n\/devtools\/browser\//);
  assert.deepEqual(await launched.stop("it was sent"), { kind: "stopped", reason: "it was sent" });
  assert.deepEqual((await launched.details).survivors, []);
  assert.deepEqual(await stage.events(), ["browser"]);
});

test("a browser that a script starts by name sends through the proxy", NEEDS_CHROMIUM, async (t) => {
  const stage = await stageLaunch(t);
  const url = await pageThatSends(t, "shim");
  const sent = stage.collector.nextPost();
  const launched = stage.start(["sh", "-c", `${basename(BROWSER)} ${HEADLESS.join(" ")} '${url}'; exit 3`]);
  await Promise.race([sent, launched.ended]);
  assert.deepEqual(await launched.stop("it was sent"), { kind: "stopped", reason: "it was sent" });
  assert.deepEqual(await stage.events(), ["shim"]);
});

test("a browser that Playwright starts by its path sends through the proxy", NEEDS_CHROMIUM, async (t) => {
  const stage = await stageLaunch(t);
  const url = await pageThatSends(t, "playwright");
  const agent = join(stage.folder, "agent.mjs");
  writeFileSync(
    agent,
    `import playwright from ${JSON.stringify(import.meta.resolve("playwright-core"))};
    const executablePath = ${JSON.stringify(BROWSER)};
    const browser = await playwright.chromium.launch({ executablePath, args: ["--no-sandbox"] });
    const page = await browser.newPage();
    await page.goto(${JSON.stringify(url)});
    await page.waitForFunction(() => document.title === "sent");
    await browser.close();`,
  );
  const { end, said } = await stage.run([process.execPath, agent]);
  assert.deepEqual(end, { kind: "exited", code: 0 }, said);
  assert.deepEqual(await stage.events(), ["playwright"]);
});
