import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { startProxy } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { connectThroughProxy } from "../support/replay.ts";
import { scratchFolder } from "../support/scratch.ts";

const SETS = ["onecollector", "onecollector-web", "retry-onecollector", "vscode-ext-1ds"];
const HOST = "mobile.events.data.microsoft.com";

interface Expected {
  readonly events: readonly {
    readonly name: string;
    readonly properties: Record<string, unknown>;
    readonly measurements?: Record<string, number>;
  }[];
  readonly allEvents: readonly { readonly name: string; readonly time: string; readonly session: string }[];
}

interface Line {
  readonly name: string | null;
  readonly time?: string;
  readonly data?: Record<string, unknown> & {
    baseData?: { properties?: Record<string, unknown>; measurements?: object };
  };
  readonly $capture: Record<string, unknown>;
}

function requestsOf(set: string): { request: Buffer; expected: Expected }[] {
  const folder = join(SHARED, "captures", set);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".req"))
    .sort()
    .map((file) => ({
      request: readFileSync(join(folder, file)),
      expected: JSON.parse(readFileSync(join(folder, file.replace(".req", ".expected.json")), "utf8")) as Expected,
    }));
}

/** 1DS drops properties that are empty text or null (FORMATS.md section 2), the VS Code extension keeps them. */
function keptProperties(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== "" && value !== null));
}

/** The properties the emitter handed to the SDK, as they stand in the record. */
function propertiesIn({ data = {} }: Line, wanted: Record<string, unknown>): Record<string, unknown> {
  const bag = "wm" in data ? data : (data.baseData?.properties ?? {});
  return Object.fromEntries(Object.keys(wanted).flatMap((key) => (key in bag ? [[key, bag[key]]] : [])));
}

test(
  "every OneCollector capture through the running proxy (--sink, HTTPS) is in the log, event by event",
  needsShared("captures"),
  async (t) => {
    const folder = scratchFolder(t);
    const out = join(folder, "logs");
    const env = { WAYMARK_CA_DIR: join(folder, "ca") };
    const proxy = await startProxy(t, ["--sink", "--out", out], { env });
    const ca = readFileSync(join(folder, "ca", "waymark-ca.pem"), "utf8");
    const sent = SETS.flatMap(requestsOf);
    for (const { request } of sent) {
      const connection = await connectThroughProxy(proxy.port, HOST, ca);
      const { status } = await connection.exchange(request);
      assert.ok(status === 200 || status === 204, `status ${status}`);
      connection.end();
    }
    await proxy.stop();

    const lines = readFileSync(join(out, "telemetry-0.log"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const records = lines.filter(({ name, $capture }) => name !== null || $capture["control"] === undefined);
    const wanted = sent.flatMap(({ expected }) => expected.allEvents);
    const missing = wanted.length - records.length;
    t.diagnostic(`${sent.length} requests, ${wanted.length} events, ${Math.max(0, missing)} missing`);
    assert.deepEqual(
      records.map(({ name, time, $capture }) => ({ name, time, session: $capture["session"] })),
      wanted.map(({ name, time, session }) => ({ name, time, session })),
    );
    assert.deepEqual(
      records.map(({ $capture }) => $capture["seq"]),
      records.map((_, index) => index + 1),
    );
    let next = 0;
    for (const { events, allEvents } of sent.map(({ expected }) => expected)) {
      const own = records.slice(next, next + allEvents.length);
      next += allEvents.length;
      for (const [index, { properties, measurements }] of events.entries()) {
        const record = own[index];
        assert.ok(record);
        const kept = keptProperties(properties);
        assert.deepEqual(propertiesIn(record, kept), kept);
        if (measurements !== undefined && Object.keys(measurements).length > 0) {
          assert.deepEqual(record.data?.baseData?.measurements, measurements);
        }
      }
    }
  },
);
