import assert from "node:assert/strict";
import { createHash, createPublicKey, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { build } from "esbuild";
import { NEEDS_CHROMIUM, openChromium } from "../support/chromium.ts";
import { startTestCollector } from "../support/collector.ts";
import { startProxy, waymark } from "../support/processes.ts";
import { PROJECT } from "../support/project.ts";
import { scratchFolder } from "../support/scratch.ts";

const HOST = "browser.events.data.microsoft.com";
const CHATS = ["general", "design", "support", "release", "random"];

const PAGE_SCRIPT = `
import { AppInsightsCore } from "@microsoft/1ds-core-js";
import { PostChannel } from "@microsoft/1ds-post-js";
const core = new AppInsightsCore(), channel = new PostChannel();
core.initialize({
  instrumentationKey: "0123456789abcdef0123456789abcdef-01234567-89ab-cdef-0123-456789abcdef-0123",
  endpointUrl: "https://${HOST}/OneCollector/1.0/", disableCookiesUsage: true,
  extensions: [channel], extensionConfig: { [channel.identifier]: {} } }, []);
window.openChats = async (chats) => {
  for (const chatId of chats) {
    core.track({ name: "chat_switch", data: { Action: { Gesture: "click" }, chatId } });
    await new Promise((resolve) => channel.flush(true, resolve));
  }
};`;

async function servePage(t: TestContext): Promise<string> {
  const bundle = await build({
    stdin: { contents: PAGE_SCRIPT, resolveDir: PROJECT },
    bundle: true,
    write: false,
    format: "iife",
    logLevel: "error",
  });
  const script = bundle.outputFiles[0]?.text ?? "";
  const server = createServer((request, response) => {
    if (request.url === "/app.js") response.setHeader("Content-Type", "text/javascript; charset=utf-8").end(script);
    else
      response
        .setHeader("Content-Type", "text/html")
        .end('<!doctype html><title>chat</title><script src="/app.js"></script>');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Chromium's way to trust one key: the base64 SHA-256 of the authority's public key; it needs the CA in the chain. */
function keyPin(caFile: string): string {
  const key = createPublicKey(
    new X509Certificate(readFileSync(caFile)).publicKey.export({ type: "spki", format: "pem" }),
  );
  return createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64");
}

async function browse(t: TestContext, chats: readonly string[]) {
  const folder = scratchFolder(t);
  const env = { WAYMARK_CA_DIR: join(folder, "ca") };
  const collector = await startTestCollector(t, folder, [HOST]);
  const out = join(folder, "logs");
  const map = `${HOST}=127.0.0.1:${collector.port}`;
  const proxy = await startProxy(t, ["--out", out, "--map", map, "--upstream-ca", collector.caFile], { env });
  const context = await openChromium(t, join(folder, "profile"), [
    `--proxy-server=127.0.0.1:${proxy.port}`,
    "--proxy-bypass-list=<-loopback>",
    `--ignore-certificate-errors-spki-list=${keyPin(join(folder, "ca", "waymark-ca.pem"))}`,
  ]);
  const page = await context.newPage();
  const sent: string[] = [];
  page.on("request", (request) => {
    const body = request.postDataBuffer();
    if (request.url().includes("/OneCollector/") && body !== null)
      sent.push(createHash("sha256").update(body).digest("hex"));
  });
  await page.goto(await servePage(t));
  await page.evaluate(`window.openChats(${JSON.stringify(chats)})`);
  await context.close();
  await proxy.stop();
  const graded = await waymark(["grade", "--scenario", "simple_collab_switch", "--log", out, "--no-store", "--json"], {
    cwd: folder,
  });
  return {
    sent,
    received: collector.received.filter(({ method }) => method === "POST").map(({ sha256 }) => sha256),
    graded,
  };
}

test(
  "1DS in headless Chromium through the proxy: same bytes at the collector, and a pass",
  NEEDS_CHROMIUM,
  async (t) => {
    const { sent, received, graded } = await browse(t, CHATS);
    assert.ok(sent.length > 0);
    assert.deepEqual(received, sent);
    assert.equal(graded.code, 0, graded.stdout + graded.stderr);
  },
);

test("1DS in headless Chromium with one chat opened twice: a fail", NEEDS_CHROMIUM, async (t) => {
  const { sent, received, graded } = await browse(t, ["general", "design", "design", "release", "random"]);
  assert.deepEqual(received, sent);
  assert.equal(graded.code, 1, graded.stdout + graded.stderr);
});
