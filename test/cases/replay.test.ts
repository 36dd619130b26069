import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { JsonObject } from "../../proxy/record/json.ts";
import { compareAll, compareHandedOver, EXTRA_NAMES } from "../support/compare-captures.ts";
import { startProxy } from "../support/processes.ts";
import { needsShared, SHARED } from "../support/project.ts";
import { at } from "../support/records.ts";
import { connectThroughProxy } from "../support/replay.ts";
import { type CapturedRequest, capturedRequests } from "../support/requests.ts";
import { scratchFolder } from "../support/scratch.ts";
import { seriesLines } from "../support/series.ts";

// Every captured request once more, byte for byte, inside TLS through the running proxy. Each goes to a host of its own, so
// that its records are known by their host.

const CAPTURES = join(SHARED, "captures");
const SETS = existsSync(CAPTURES) ? readdirSync(CAPTURES).sort() : [];

interface Sent {
  readonly host: string;
  readonly bytes: Buffer;
  readonly captured: CapturedRequest;
}

/** The requests of a set as HTTP/1.1; of one recorded over HTTP/2 the pseudo headers become the request line and length. */
function requestsOf(set: string, number: number): Sent[] {
  const folder = join(CAPTURES, set);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".req"))
    .sort();
  const captured = capturedRequests(set);
  assert.equal(captured.length, files.length);
  return captured.map((one, index) => ({
    host: `r${index}.s${number}.captures.example`,
    bytes: asHttp1(readFileSync(join(folder, files[index] ?? ""))),
    captured: one,
  }));
}

function asHttp1(request: Buffer): Buffer {
  const end = request.indexOf("\r\n\r\n");
  const [first = "", ...lines] = request.toString("latin1", 0, end).split("\r\n");
  if (!first.endsWith("HTTP/2")) return request;
  const body = request.subarray(end + 4);
  const kept = lines.filter((line) => !line.startsWith(":"));
  const head = [first.replace("HTTP/2", "HTTP/1.1"), "host: x", ...kept, `content-length: ${body.length}`];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), body]);
}

test(
  "every set of captures through the running proxy (--sink, HTTPS): nothing missing, nothing wrong",
  needsShared("captures"),
  async (t) => {
    const folder = scratchFolder(t);
    const out = join(folder, "logs");
    const env = { WAYMARK_CA_DIR: join(folder, "ca") };
    const proxy = await startProxy(t, ["--sink", "--out", out, "--host", "*.captures.example"], { env });
    const ca = readFileSync(join(folder, "ca", "waymark-ca.pem"), "utf8");
    const sets = SETS.map((set, number) => ({ set, sent: requestsOf(set, number) }));
    for (const { host, bytes, captured } of sets.flatMap(({ sent }) => sent)) {
      const connection = await connectThroughProxy(proxy.port, host, ca);
      const { status } = await connection.exchange(bytes);
      const isModel = /\/(?:chat\/completions|responses|messages|count_tokens|embeddings)$/.test(
        captured.exchange.target,
      );
      assert.ok(isModel ? status === 400 : status >= 200 && status < 300, `${captured.exchange.target}: ${status}`);
      connection.end();
    }
    await proxy.stop();

    const records = recordsByHost(seriesLines(out));
    const table = sets.map(({ set, sent }) => rowOf(set, sent, records));
    for (const { line } of table) t.diagnostic(line);
    const sum = (of: (row: (typeof table)[0]) => number) => table.reduce((total, row) => total + of(row), 0);
    t.diagnostic(
      `${table.length} sets, ${sum((row) => row.requests)} requests, ${sum((row) => row.expected)} events, ${sum((row) => row.found)} found`,
    );
    assert.deepEqual(
      table.flatMap(({ wrong }) => wrong),
      [],
    );
    assert.deepEqual(
      table.map(({ found }) => found),
      table.map(({ expected }) => expected),
    );
  },
);

function recordsByHost(lines: readonly JsonObject[]): ReadonlyMap<string, JsonObject[]> {
  const byHost = new Map<string, JsonObject[]>();
  for (const line of lines) {
    if (at(line, "$capture", "control") !== undefined || EXTRA_NAMES.has(line["name"])) continue;
    const host = String(at(line, "$capture", "host"));
    byHost.set(host, [...(byHost.get(host) ?? []), line]);
  }
  return byHost;
}

function rowOf(set: string, sent: readonly Sent[], records: ReadonlyMap<string, JsonObject[]>) {
  let [expected, found] = [0, 0];
  const wrong: string[] = [];
  for (const { host, captured } of sent) {
    const own = records.get(host) ?? [];
    expected += captured.allEvents.length;
    found += own.filter((record) => at(record, "$capture", "undecoded") === undefined).length;
    wrong.push(...compareAll(captured, own), ...compareHandedOver(captured, own));
  }
  const line = `${set.padEnd(26)} ${sent.length} requests, ${expected} expected, ${found} found, ${wrong.length} wrong`;
  return { line, wrong, expected, found, requests: sent.length };
}
