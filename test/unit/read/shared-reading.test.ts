import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Intake, type LinePlace, type RangeSink } from "../../../grader/read/intake.ts";
import { type OpenFile, openFile } from "../../../grader/read/open-file.ts";
import { SeriesReader } from "../../../grader/read/reader.ts";
import { ScanAhead } from "../../../grader/read/scan-ahead.ts";
import type { RangeSummary } from "../../../grader/read/tally.ts";
import { scratchFolder } from "../../support/scratch.ts";

const BLOCK_BYTES = 4096;
/** Enough for a thread to come up while they are read. */
const LINES = 40_000;

/** Numbered records, every thousandth of which has to be seen. */
function records(from: number, to: number): string {
  const name = (seq: number): string => (seq % 1000 === 0 ? "wanted" : "other");
  const line = (seq: number): string =>
    `{"name":"${name(seq)}","time":"2026-01-31T12:00:00.000Z","data":{"text":"${"x".repeat(seq % 97)}"},"$capture":{"seq":${seq}}}\n`;
  return Array.from({ length: to - from }, (_, index) => line(from + index)).join("");
}

interface Outcome {
  readonly summary: RangeSummary;
  /** Where the wanted events stood. */
  readonly places: readonly LinePlace[];
  /** Blocks that this thread read. */
  readonly reads: number;
}

interface Reading {
  readonly isQuick?: boolean;
  readonly helpers?: number;
  /** Stands in for the file that was opened. */
  readonly open?: (file: string) => Promise<OpenFile>;
  /** Called before this thread's read with that number, from 1. */
  readonly beforeRead?: (read: number) => void;
}

async function readAll(files: readonly string[], reading: Reading): Promise<Outcome> {
  const places: LinePlace[] = [];
  let reads = 0;
  const sink: RangeSink = {
    restart: () => places.splice(0),
    event: (_, place) => places.push(place),
    tick: () => {},
    gap: () => {},
    selection: {
      keys: { name: "name", time: "time" },
      generation: 0,
      numberTimes: undefined,
      interests: (name) => (name === "wanted" ? [{ tests: [], least: 0 }] : []),
      pass: () => {},
      passRun: () => {},
    },
  };
  const intake = new Intake({ rule: { kind: "all" }, sink });
  const { helpers = 1, isQuick = false, open = openFile, beforeRead } = reading;
  const reader = new SeriesReader(intake, {
    lineBytes: 1 << 20,
    blockBytes: BLOCK_BYTES,
    isQuick,
    startAhead: helpers === 0 ? undefined : (wish) => ScanAhead.start(helpers, wish),
    open: async (name) => {
      const file = await open(name);
      const readNow: OpenFile["readNow"] = (into, position) => {
        reads += 1;
        beforeRead?.(reads);
        return file.readNow(into, position);
      };
      return { ...file, readNow };
    },
  });
  reader.extend(files.map((file, index) => ({ file, index })));
  try {
    await reader.drain();
  } finally {
    await reader.close();
  }
  return { summary: intake.finish(), places, reads };
}

/** Files of one series, of which the second gives the thread the time to come up in. */
function series(t: TestContext): { readonly folder: string; readonly files: readonly string[] } {
  const folder = scratchFolder(t);
  const files = [join(folder, "t-0.log"), join(folder, "t-1.log")];
  writeFileSync(files[0] ?? "", records(1, LINES));
  writeFileSync(files[1] ?? "", records(LINES, 2 * LINES));
  return { folder, files };
}

const wantedLines = (places: readonly LinePlace[]): readonly number[] => places.map(({ record }) => record + 1);
const everyThousandth = (to: number): readonly number[] =>
  Array.from({ length: Math.ceil(to / 1000) - 1 }, (_, index) => 1000 * (index + 1));

for (const isQuick of [false, true]) {
  const how = isQuick ? "lines taken for readable" : "every line read";

  test(`two threads share files, and every record has its place (${how})`, async (t) => {
    const { files } = series(t);
    const blocks = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / BLOCK_BYTES), 0);
    const { summary, places, reads } = await readAll(files, { isQuick });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 2 * LINES - 1);
    assert.deepEqual(wantedLines(places), everyThousandth(2 * LINES));
    assert.ok(reads < blocks, `all ${blocks} blocks were read by one thread`);
  });

  test(`short reads move the blocks, and nothing is lost or read twice (${how})`, async (t) => {
    const { files } = series(t);
    const open = async (name: string): Promise<OpenFile> => {
      const file = await openFile(name);
      let reads = 0;
      // as a network share does it: the eleventh read brings less than there is
      const readNow: OpenFile["readNow"] = (into, position) =>
        file.readNow(++reads === 11 ? into.subarray(0, 1234) : into, position);
      return { ...file, readNow };
    };
    const { summary, places } = await readAll(files, { isQuick, open });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 2 * LINES - 1);
    assert.deepEqual(wantedLines(places), everyThousandth(2 * LINES));
  });

  test(`what this thread cannot read while it waits, it reads in its turn (${how})`, async (t) => {
    const { files } = series(t);
    const open = async (name: string): Promise<OpenFile> => {
      const file = await openFile(name);
      const readNow: OpenFile["readNow"] = (into, position) => {
        if (into.length === BLOCK_BYTES) return file.readNow(into, position);
        // more than a block is asked for only ahead of its turn, if this thread has to wait at all
        throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read", errno: -5 });
      };
      return { ...file, readNow };
    };
    const { summary, places } = await readAll(files, { isQuick, open });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 2 * LINES - 1);
    assert.deepEqual(wantedLines(places), everyThousandth(2 * LINES));
  });

  test(`what is appended while a file is read counts (${how})`, async (t) => {
    const { files } = series(t);
    const [, last = ""] = files;
    const isLate = 5;
    const beforeRead = (read: number): void => {
      if (read === isLate) appendFileSync(last, records(2 * LINES, 2 * LINES + 5000));
    };
    const { summary, places } = await readAll(files, { isQuick, beforeRead });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 2 * LINES + 4999);
    assert.deepEqual(wantedLines(places), everyThousandth(2 * LINES + 5000));
  });

  test(`a file that was cut while it is read is said to be cut (${how})`, async (t) => {
    const { files } = series(t);
    const [first = "", last = ""] = files;
    const isHalfway = Math.floor(statSync(first).size / BLOCK_BYTES / 2);
    const beforeRead = (read: number): void => {
      if (read === isHalfway) truncateSync(first, 0);
    };
    const { summary } = await readAll([first], { isQuick, beforeRead, helpers: 1 });
    assert.match(summary.cut ?? "", /truncated by another program/);
    assert.ok(summary.events < LINES);
    assert.ok(statSync(last).size > 0);
  });

  test(`a file that another one takes the name of is read to its own end (${how})`, async (t) => {
    const { folder, files } = series(t);
    const [first = "", last = ""] = files;
    const open = async (name: string): Promise<OpenFile> => {
      const file = await openFile(name);
      if (name === last && process.platform !== "win32") {
        // as rotation does it, between this thread's opening and the other one's
        renameSync(last, join(folder, "moved.log"));
        writeFileSync(last, records(900_001, 900_001 + 2 * LINES));
      }
      return file;
    };
    const { summary, places } = await readAll([first, last], { isQuick, open });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 2 * LINES - 1);
    assert.deepEqual(wantedLines(places), everyThousandth(2 * LINES));
  });

  test(`a file that the other thread cannot open or read is read by this one (${how})`, async (t) => {
    const { folder, files } = series(t);
    const [first = "", last = ""] = files;
    const [unreadable, gone] = [join(folder, "t-2.log"), join(folder, "t-3.log")];
    mkdirSync(unreadable); // opens, and cannot be read
    writeFileSync(gone, records(3 * LINES, 4 * LINES));
    const stands: Record<string, string> = { [unreadable]: join(folder, "real.log") };
    writeFileSync(join(folder, "real.log"), records(2 * LINES, 3 * LINES));
    const open = async (name: string): Promise<OpenFile> => {
      const file = await openFile(stands[name] ?? name);
      if (name === gone && process.platform !== "win32") rmSync(gone);
      if (name !== unreadable) return file;
      const { dev, ino, birthtimeMs } = statSync(unreadable);
      const facts = async (): Promise<Awaited<ReturnType<OpenFile["stat"]>>> => ({
        ...(await file.stat()),
        size: statSync(stands[name] ?? "").size,
        dev,
        ino,
        birthtimeMs,
      });
      return { ...file, stat: facts };
    };
    const { summary, places } = await readAll([first, last, unreadable, gone], { isQuick, open });
    assert.equal(summary.cut, undefined);
    assert.equal(summary.events, 4 * LINES - 1);
    assert.deepEqual(wantedLines(places), everyThousandth(4 * LINES));
  });
}

test("while threads share the reading, timers have their turn", async (t) => {
  const folder = scratchFolder(t);
  const file = join(folder, "t-0.log");
  writeFileSync(file, records(1, 200_000));
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  await readAll([file], {});
  clearInterval(timer);
  assert.ok(ticks > 0, "no timer had its turn");
});
