import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scratchFolder } from "../support/scratch.ts";
import { NEEDS_SDKS, sdkApps } from "../support/sdk-apps.ts";
import { runSdks, type SdkRun, showTable } from "../support/sdk-batch.ts";
import { startTelemetryService } from "../support/telemetry-service.ts";
import { NODE_SDKS } from "./node-sdks.ts";

const HOSTS = [
  "mobile.events.data.microsoft.com",
  "browser.events.data.microsoft.com",
  "dc.services.visualstudio.com",
  "o4500000000000001.ingest.us.sentry.io",
  "us.i.posthog.com",
  "api.segment.io",
  "acme.dataplane.rudderstack.com",
  "api2.amplitude.com",
  "api.mixpanel.com",
  "sp.collector.acme.example",
  "statsigapi.net",
  "api.statsigcdn.com",
  "idliststorage.statsigcdn.com",
  "stream.launchdarkly.com",
  "sdk.launchdarkly.com",
  "events.launchdarkly.com",
  "notify.bugsnag.com",
  "sessions.bugsnag.com",
  "api.rollbar.com",
  "acme.matomo.cloud",
  "cloud.umami.is",
];
/** Hosts that no format is known to live at. */
const ASKED = ["sp.collector.acme.example", "*.statsigcdn.com", "*.launchdarkly.com", "mcp.acme.example", "localhost"];

async function startMcp(t: TestContext, apps: string, files: readonly string[]): Promise<number> {
  const server = spawn(process.execPath, [join(apps, "services", "mcp.mjs"), ...files], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => server.kill());
  const [line] = (await once(server.stdout, "data")) as [Buffer];
  return Number(String(line));
}

function check(t: TestContext, runs: readonly SdkRun[]): Promise<unknown> {
  return Promise.all(
    runs.map(({ sdk, told, recorded, delivered, words, retries, undecoded, verdict }) =>
      t.test(sdk.app, () => {
        assert.deepEqual(recorded, told);
        assert.ok(delivered, words);
        assert.deepEqual({ retries, undecoded, verdict }, { retries: 0, undecoded: [], verdict: "pass" });
      }),
    ),
  );
}

const MAPPED = "real SDKs in Node, their default endpoints sent to services on loopback: all is recorded and delivered";

test(MAPPED, NEEDS_SDKS, async (t) => {
  const apps = sdkApps(t);
  const service = await startTelemetryService(t, scratchFolder(t), [...HOSTS, "mcp.acme.example"]);
  const mcpPort = await startMcp(t, apps, [service.keyFile, service.caFile]);
  const maps = [
    ...HOSTS.map((host) => `${host}=127.0.0.1:${service.tlsPort}`),
    `localhost:4318=127.0.0.1:${service.clearPort}`,
    `localhost:4317=127.0.0.1:${service.grpcPort}`,
    `mcp.acme.example=127.0.0.1:${mcpPort}`,
  ];
  const scope = [...maps.flatMap((map) => ["--map", map]), ...ASKED.flatMap((host) => ["--host", host])];
  const options = [...scope, "--upstream-ca", service.caFile];
  const runs = await runSdks(t, NODE_SDKS, { apps, options, command: [process.execPath] });
  showTable("SDKs in Node, mapped", runs);
  await check(t, runs);
});

/** What a sink cannot stand in for: a server whose answers the client is there for. */
const NEEDS_ITS_SERVER = ["node/mcp.mjs"];

test("the same SDKs with --sink and no network: success is reported, nothing is sent twice", NEEDS_SDKS, async (t) => {
  const sdks = NODE_SDKS.filter(({ app }) => !NEEDS_ITS_SERVER.includes(app));
  const options = ["--sink", ...ASKED.flatMap((host) => ["--host", host])];
  const runs = await runSdks(t, sdks, { apps: sdkApps(t), options, command: [process.execPath] });
  showTable("SDKs in Node, sink", runs);
  await check(t, runs);
});
