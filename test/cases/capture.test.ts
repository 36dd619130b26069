import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { newCounts } from "../../proxy/intercept/counts.ts";
import { openSeries } from "../../proxy/log/writer.ts";
import { WaymarkError } from "../../proxy/record/fault.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { startSession } from "../../proxy/session.ts";
import { needsShared } from "../support/project.ts";
import { at, recordsOf } from "../support/records.ts";
import { caseRequest, exchangeOf } from "../support/requests.ts";
import { scratchFolder } from "../support/scratch.ts";
import { controlsOf, fileLines, seqsOf, seriesFiles, seriesLines, unnumbered, upTo } from "../support/series.ts";

// One test per case, at the level of pipeline and writer; through the proxy they are replayed elsewhere.

test("B01: plain JSON under a gzip label is decoded, with a note", needsShared("cases"), () => {
  const records = recordsOf(caseRequest("B01", "req.bin"));
  assert.deepEqual(
    records.map(({ name }) => name),
    ["app.start", "task.done"],
  );
  for (const record of records) assert.match(String(at(record, "$capture", "note")), /says gzip, the body is not/);
});

test("B02: deflate with and without its wrapper gives the same two events", needsShared("cases"), () => {
  const [raw, zlib] = ["raw.bin", "zlib.bin"].map((file) =>
    recordsOf(caseRequest("B02", file)).map(({ $capture: _, ...own }) => own),
  );
  assert.equal(raw?.length, 2);
  assert.deepEqual(raw, zlib);
});

test("B06: a zstd frame gives its two events", needsShared("cases"), () => {
  const records = recordsOf(caseRequest("B06", "one.bin"));
  assert.equal(records.length, 2);
  for (const record of records) {
    assert.equal(typeof record["name"], "string");
    assert.equal(at(record, "$capture", "undecoded"), undefined);
  }
});

test("B07: an empty body under a gzip label is no error and no record", () => {
  for (const method of ["HEAD", "POST", "GET"]) {
    assert.deepEqual(recordsOf(exchangeOf({ method, headers: [["Content-Encoding", "gzip"]] })), []);
  }
});

test(
  "B09: gzip under text/plain is read by its magic bytes, and gzip that became text is undone",
  needsShared("cases"),
  () => {
    for (const file of ["req.bin", "latin1.bin"]) {
      const [record = {}, ...others] = recordsOf(caseRequest("B09", file));
      assert.equal(others.length, 0);
      assert.equal(at(record, "$capture", "undecoded"), undefined, file);
      assert.ok(at(record, "$capture", "note"), file);
      assert.equal(record["name"], "bin", file);
    }
  },
);

test("B11: envelope edges neither crash nor lose anything", needsShared("cases"), () => {
  const [noeol, empty, headeronly, short] = ["noeol.bin", "empty.bin", "headeronly.bin", "short.bin"].map((file) =>
    recordsOf(caseRequest("B11", file)),
  );
  assert.deepEqual(ownFields(noeol), [{ name: "a", item: { type: "event" } }]);
  assert.deepEqual(ownFields(empty), [{ name: "attachment", body: "", body_bytes: 0, item: { type: "attachment" } }]);
  assert.deepEqual(headeronly, []);
  const [kept, bad, ...others] = short ?? [];
  assert.equal(others.length, 0);
  assert.equal(kept?.["name"], "abc");
  assert.equal(at(kept, "$capture", "undecoded"), undefined);
  assert.match(String(at(kept, "$capture", "note")), /says 5 bytes and has 17/);
  assert.match(String(at(bad, "$capture", "undecoded")), /no item header/);
  assert.equal(Buffer.from(String(bad?.["body_base64"]), "base64").toString("hex"), "0001ff0a");
  for (const record of [noeol, empty, short].flat()) assert.equal(at(record, "$capture", "format"), "sentry");
});

/** Records without what the proxy says of them. */
function ownFields(records: readonly JsonObject[] | undefined) {
  return records?.map(({ $capture: _, ...own }) => own);
}

test("B12: ids in hex or base64 are one id, and 64-bit numbers keep their digits", needsShared("cases"), () => {
  for (const file of ["hex.bin", "b64.bin", "num.bin"]) {
    const [record, ...others] = recordsOf(caseRequest("B12", file));
    assert.equal(others.length, 0);
    assert.equal(record?.["name"], "task.done");
    assert.equal(record["traceId"], "5b8efff798038103d269b633813fc60c", file);
    assert.equal(record["spanId"], "eee19b7ec3c1b174", file);
    assert.equal(at(record, "data", "n"), 9007199254740993n, file);
    assert.equal(record["time"], "2025-01-01T00:00:00.000000001Z", file);
    assert.equal(String(record["endTimeUnixNano"]), "1735689600000000002", file);
    assert.equal(at(record, "$capture", "note") !== undefined, file === "b64.bin", file);
  }
});

test("C02: keep = 3 holds over runs, and the newest files stay", async (t) => {
  const dir = scratchFolder(t);
  for (let run = 0; run < 6; run++) {
    const writer = await openSeries({ dir, name: "t", maxFileBytes: 1_000, keepFiles: 3 });
    for (let count = 0; count < 8; count++) writer.append(unnumbered(`run${run}`, 180));
    const live = writer.file;
    const { files } = await writer.close();
    assert.equal(files, 2);
    assert.ok(seriesFiles(dir).length <= 3);
    assert.ok(statSync(live).size > 0);
  }
  assert.deepEqual(seriesFiles(dir), ["t-9.log", "t-10.log", "t-11.log"]);
  assert.equal(seqsOf(seriesLines(dir)).at(-1), 48);
});

test("C04: traffic flows while the log cannot be written, and the capture then says it is incomplete", async (t) => {
  const dir = scratchFolder(t);
  const problems: string[] = [];
  let deliver: (body: string) => void = () => assert.fail("not started");
  const session = await startSession(
    {
      log: { dir, name: "t", maxFileBytes: 1_000_000, maxQueueChars: 20_000 },
      interceptor: {
        listen: "127.0.0.1",
        port: 0,
        certificateFor: async () => ({ key: "", cert: "" }),
        map: new Map(),
        maxBodyBytes: 1_000_000,
      },
      hosts: [],
      bypass: [],
      all: true,
      sink: false,
      redact: [],
    },
    {
      onProblem: (message) => problems.push(message),
      async startInterceptor({ onExchange }) {
        deliver = (body) => onExchange(exchangeOf({ target: "/OneCollector/1.0/", body }));
        return {
          address: { host: "127.0.0.1", port: 1 },
          counts: newCounts(),
          hosts: () => [],
          close: async () => undefined,
        };
      },
    },
  );
  // more than the queue holds arrives before the disk takes any of it; the small disk itself is in disk-full.test.ts
  for (let count = 0; count < 200; count++) deliver(JSON.stringify({ name: "e", data: { pad: "x".repeat(400) } }));
  await session.flush();
  for (let count = 0; count < 10; count++) deliver('{"name":"after","data":{}}');
  const { log, exchanges, events } = await session.close();
  const lines = seriesLines(dir);
  assert.equal(exchanges, 210);
  assert.ok(log.lost > 0);
  assert.equal(events["onecollector"], log.written);
  assert.equal(log.written + log.lost, 210);
  assert.deepEqual(seqsOf(lines), upTo(log.written));
  assert.equal(controlsOf(lines, "loss")[0]?.["records"], log.lost);
  assert.equal(lines.filter(({ name }) => name === "after").length, 10);
});

test("C05: a taken name is passed over, a second writer is refused, a record over the cap stays whole", async (t) => {
  const dir = scratchFolder(t);
  mkdirSync(join(dir, "t-1.log"));
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 1_000_000 });
  assert.equal(writer.file, join(dir, "t-2.log"));
  await assert.rejects(
    openSeries({ dir, name: "t", maxFileBytes: 1_000_000 }),
    (error) => error instanceof WaymarkError && error.code === "WM_PROXY_OUT_TAKEN",
  );
  mkdirSync(join(dir, "t-3.log"));
  writer.append(unnumbered("small"));
  writer.append(unnumbered("huge", 5_000_000));
  writer.append(unnumbered("small again"));
  const counts = await writer.close();
  assert.equal(counts.lost, 0);
  const names = ["t-2.log", "t-4.log", "t-5.log"].map((file) =>
    fileLines(join(dir, file)).flatMap(({ name }) => name ?? []),
  );
  assert.deepEqual(names, [["small"], ["huge"], ["small again"]]);
});

test("C07: no file begins or ends inside a record, also under load", async (t) => {
  const dir = scratchFolder(t);
  const writer = await openSeries({ dir, name: "t", maxFileBytes: 10_000 });
  for (let count = 0; count < 5_000; count++) {
    writer.append(unnumbered(`ř${count}`, 60 + (count % 700)));
    if (count % 97 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.close();
  const files = seriesFiles(dir);
  assert.ok(files.length > 100);
  assert.deepEqual(seqsOf(files.flatMap((file) => fileLines(join(dir, file)))), upTo(5_000));
});

test("C08: after copytruncate the new events stand once, without a hole, and the loss is noted", async (t) => {
  const dir = scratchFolder(t);
  const problems: string[] = [];
  const writer = await openSeries({
    dir,
    name: "t",
    maxFileBytes: 1_000_000,
    onProblem: (text) => problems.push(text),
  });
  for (let count = 0; count < 20; count++) writer.append(unnumbered(`old${count}`));
  await writer.flush();
  copyFileSync(writer.file, join(dir, "copy.1"));
  truncateSync(writer.file, 0);
  for (let count = 0; count < 5; count++) writer.append(unnumbered(`new${count}`));
  await writer.close();
  assert.ok(!readFileSync(writer.file).includes(0));
  const lines = fileLines(writer.file);
  assert.deepEqual(
    lines.flatMap(({ name }) => name ?? []),
    ["new0", "new1", "new2", "new3", "new4"],
  );
  assert.deepEqual(seqsOf(lines), [21, 22, 23, 24, 25]);
  assert.equal(controlsOf(lines, "loss")[0]?.["records"], 20);
  assert.equal(problems.length, 1);
});

test("B14: Snowplow's base64 is read in either alphabet", needsShared("cases"), () => {
  const records = ["safe.bin", "std.bin"].map((file) => recordsOf(caseRequest("B14", file)));
  for (const [record, ...others] of records) {
    assert.equal(others.length, 0);
    assert.equal(record?.["name"], "done");
    assert.equal(record["schema"], "iglu:t/done/jsonschema/1-0-0");
    assert.equal(at(record, "data", "note"), "ÿþ>>??");
  }
});
