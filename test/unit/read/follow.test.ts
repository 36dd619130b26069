import assert from "node:assert/strict";
import { appendFileSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { readSeries } from "../../../grader/read/read.ts";
import { findLogs } from "../../../grader/read/series.ts";
import type { RangeSummary } from "../../../grader/read/tally.ts";
import { Collected } from "../../support/collect.ts";
import { controlLine, eventLine } from "../../support/log-lines.ts";
import { scratchFolder } from "../../support/scratch.ts";

/** A sink that acts on the log when an event of a name arrives, so that no test has to wait for a time. */
class Acting extends Collected {
  readonly #acts: Readonly<Record<string, () => void>>;
  constructor(acts: Readonly<Record<string, () => void>>) {
    super();
    this.#acts = acts;
  }
  override event(...args: Parameters<Collected["event"]>): void {
    super.event(...args);
    const act = this.#acts[String(args[0]["name"])];
    if (act !== undefined) setImmediate(act);
  }
}

async function follow(folder: string, sink: Collected, signal = AbortSignal.timeout(20_000)): Promise<RangeSummary> {
  const { series } = await findLogs([folder]);
  const [only] = series;
  assert.ok(only);
  const isDecided = (): boolean => sink.names.includes("end");
  return readSeries(only, { rule: { kind: "newest" }, sink, lineBytes: 1000, follow: { signal, isDecided } });
}

test("reads on as the file grows, across rotation, until decided", async (t) => {
  const folder = scratchFolder(t);
  const file = (index: number): string => join(folder, `t-${index}.log`);
  writeFileSync(file(0), controlLine("start") + eventLine("a", 1));
  const sink = new Acting({
    a: () => appendFileSync(file(0), eventLine("b", 2).slice(0, 20)),
    c: () => {
      appendFileSync(file(1), eventLine("d", 4));
      writeFileSync(file(2), eventLine("end", 5));
    },
  });
  const reading = follow(folder, sink);
  setImmediate(function finishLine(): void {
    if (!sink.names.includes("a")) {
      setImmediate(finishLine);
      return;
    }
    setImmediate(() => {
      appendFileSync(file(0), eventLine("b", 2).slice(20));
      writeFileSync(file(1), eventLine("c", 3));
    });
  });
  const summary = await reading;
  assert.deepEqual(sink.names, ["a", "b", "c", "d", "end"]);
  assert.deepEqual([summary.cut, summary.linesBad], [undefined, 0]);
});

test("a new capture that begins while following takes over", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "t-0.log"), eventLine("a", 1));
  const sink = new Acting({
    a: () => writeFileSync(join(folder, "t-1.log"), controlLine("start") + eventLine("end", 2)),
  });
  await follow(folder, sink);
  assert.deepEqual(sink.names, ["end"]);
});

test("a log truncated under the reader is read once, and said to be cut", async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "x.log");
  const line = (name: string): string => `${JSON.stringify({ name })}\n`;
  writeFileSync(file, line("a1") + line("a2") + line("a3"));
  const sink = new Acting({
    a3: () => {
      truncateSync(file, 0);
      appendFileSync(file, line("b1"));
    },
    b1: () => appendFileSync(file, line("b2") + line("end")),
  });
  const summary = await follow(folder, sink);
  assert.deepEqual(sink.names, ["a1", "a2", "a3", "b1", "b2", "end"]);
  assert.match(summary.cut ?? "", /truncated by another program/);
});

test("a line that was half read when its log was truncated is not joined to what stands there then", async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "x.log");
  writeFileSync(file, '{"name":"a"}\n{"name":"lost');
  const sink = new Acting({
    a: () => {
      truncateSync(file);
      setTimeout(() => appendFileSync(file, '{"name":"end"}\n'), 50);
    },
  });
  const summary = await follow(file, sink);
  assert.deepEqual([sink.names, summary.linesBad], [["a", "end"], 0]);
  assert.match(summary.cut ?? "", /truncated by another program/);
});

test("the signal ends the following; what was written before it counts", async (t) => {
  const folder = scratchFolder(t);
  writeFileSync(join(folder, "x.log"), '{"name":"a"}\n');
  const stop = new AbortController();
  const sink = new Acting({
    a: () => {
      appendFileSync(join(folder, "x.log"), '{"name":"b"}\n');
      stop.abort();
    },
  });
  const summary = await follow(folder, sink, stop.signal);
  assert.deepEqual([sink.names, summary.cut], [["a", "b"], undefined]);
});

test("a file that is renamed away while it is followed is read to its end, then those after it, then the live one", async (t) => {
  const folder = scratchFolder(t);
  const live = join(folder, "app.log");
  writeFileSync(join(folder, "app.log.7"), eventLine("old", 0));
  writeFileSync(live, eventLine("a", 1));
  const sink = new Acting({
    a: () => {
      appendFileSync(live, eventLine("b", 2) + eventLine("c", 3).slice(0, 20));
      renameSync(live, join(folder, "app.log.1"));
      writeFileSync(live, `${eventLine("c", 3).slice(20)}${eventLine("d", 4)}`);
      writeFileSync(join(folder, "app.log.bak"), eventLine("copy", 4));
      renameSync(live, join(folder, "app-2.log")); // twice before anybody looks
      writeFileSync(live, eventLine("e", 5));
    },
    e: () => {
      renameSync(live, join(folder, "app.log.3"));
      writeFileSync(live, eventLine("end", 6));
    },
  });
  const summary = await follow(live, sink);
  assert.deepEqual(sink.names, ["a", "b", "c", "d", "e", "end"]);
  assert.deepEqual([summary.cut, summary.linesBad], [undefined, 0]);
});

test("a followed file whose name leads nowhere any more is read on where it is", async (t) => {
  const folder = scratchFolder(t);
  const live = join(folder, "app.log");
  const away = join(folder, "elsewhere");
  writeFileSync(live, eventLine("a", 1));
  const sink = new Acting({
    a: () => {
      renameSync(live, away);
      appendFileSync(away, eventLine("b", 2));
    },
    b: () => appendFileSync(away, eventLine("end", 3)),
  });
  const summary = await follow(live, sink);
  assert.deepEqual(sink.names, ["a", "b", "end"]);
  assert.deepEqual([summary.cut, summary.linesBad], [undefined, 0]);
});
