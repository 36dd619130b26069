import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { startApp } from "../../../examples/chat/app.ts";
import { startCollector } from "../../../examples/chat/collector.ts";
import { startTelemetry } from "../../../examples/chat/telemetry.ts";
import { loopbackCertificate } from "../../support/certificate.ts";

/** The app in this process; this process does not trust its collector, so nothing arrives there. */
async function appFor(t: TestContext) {
  const collector = await startCollector(await loopbackCertificate(["localhost"]));
  t.after(() => collector.close());
  const telemetry = startTelemetry({
    host: "localhost",
    gateway: { host: "127.0.0.1", port: collector.port, kind: "direct" },
    instrumentationKey: "k",
    sessionId: "s",
    userId: "u",
  });
  const app = await startApp(telemetry);
  return { app, collector };
}

test("the app's state follows what is opened, and wrong requests change nothing", async (t) => {
  const { app } = await appFor(t);
  const send = (path: string, body?: string) =>
    fetch(`${app.url}${path}`, body === undefined ? {} : { method: "POST", body });
  assert.deepEqual(await (await send("/state")).json(), { openChat: null });
  assert.equal((await send("/open", '{"chat":"design"}')).status, 200);
  assert.equal((await send("/open", '{"chat":"nowhere"}')).status, 404);
  assert.equal((await send("/open", '{"chat":')).status, 400);
  assert.equal((await send("/open", "[]")).status, 400);
  assert.equal((await send("/open", `{"chat":"${"x".repeat(5000)}"}`)).status, 400);
  assert.equal((await send("/close", "{}")).status, 404);
  assert.deepEqual(await (await send("/state")).json(), { openChat: "design" });
  await app.close();
});

test("a collector that is not trusted gets nothing, and the loss is counted", async (t) => {
  const { app, collector } = await appFor(t);
  const counts = await app.close();
  assert.equal(collector.counts.events, 0);
  assert.equal(counts.delivered, 0);
  assert.equal(counts.lost, 3, "session_start, app_ready, session_end");
  assert.match(String(counts.lastError), /self-signed|certificate/i);
});
