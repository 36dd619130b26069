import assert from "node:assert/strict";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { CHROMIUM, NEEDS_CHROMIUM } from "../support/chromium.ts";
import { scratchFolder } from "../support/scratch.ts";
import { NEEDS_SDKS, sdkApps } from "../support/sdk-apps.ts";
import { runSdks, type SdkRun, showTable } from "../support/sdk-batch.ts";
import { startTelemetryService } from "../support/telemetry-service.ts";
import { WEB_SDKS } from "./web-sdks.ts";

const HOSTS = [
  "browser.events.data.microsoft.com",
  "dc.services.visualstudio.com",
  "js.monitor.azure.com",
  "o4500000000000001.ingest.us.sentry.io",
  "us.i.posthog.com",
  "us-assets.i.posthog.com",
  "api-js.mixpanel.com",
  "api2.amplitude.com",
  "sr-client-cfg.amplitude.com",
  "api.segment.io",
  "cdn.segment.com",
  "browser-intake-datadoghq.com",
  "acme.dataplane.rudderstack.com",
  "api.rudderstack.com",
  "sp.collector.acme.example",
  "www.google-analytics.com",
  "plausible.io",
  "featureassets.org",
  "api.statsigcdn.com",
  "prodregistryv2.org",
  "statsigapi.net",
  "app.launchdarkly.com",
  "clientstream.launchdarkly.com",
  "events.launchdarkly.com",
  "notify.bugsnag.com",
  "sessions.bugsnag.com",
  "api.rollbar.com",
];
/** Hosts that no format is known to live at. */
const ASKED = [
  "sp.collector.acme.example",
  "js.monitor.azure.com",
  "sr-client-cfg.amplitude.com",
  "cdn.segment.com",
  "*.launchdarkly.com",
  "localhost",
];
const OPTION = { skip: NEEDS_SDKS.skip || NEEDS_CHROMIUM.skip };
process.env["CHROMIUM"] = CHROMIUM;

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

const MAPPED =
  "real SDKs in Chromium, their default endpoints sent to services on loopback: all is recorded and delivered";

test(MAPPED, OPTION, async (t) => {
  const apps = sdkApps(t);
  const service = await startTelemetryService(t, scratchFolder(t), HOSTS);
  const maps = [
    ...HOSTS.map((host) => `${host}=127.0.0.1:${service.tlsPort}`),
    `localhost:4318=127.0.0.1:${service.clearPort}`,
  ];
  const scope = [...maps.flatMap((map) => ["--map", map]), ...ASKED.flatMap((host) => ["--host", host])];
  const options = [...scope, "--upstream-ca", service.caFile];
  const runs = await runSdks(t, WEB_SDKS, { apps, options, command: [process.execPath, join(apps, "browse.mjs")] });
  showTable("SDKs in Chromium, mapped", runs);
  await check(t, runs);
});

test("the same SDKs with --sink and no network: success is reported, nothing is sent twice", OPTION, async (t) => {
  const apps = sdkApps(t);
  const options = ["--sink", ...ASKED.flatMap((host) => ["--host", host])];
  const runs = await runSdks(t, WEB_SDKS, { apps, options, command: [process.execPath, join(apps, "browse.mjs")] });
  showTable("SDKs in Chromium, sink", runs);
  await check(t, runs);
});
