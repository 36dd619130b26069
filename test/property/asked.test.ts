import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { askedBy } from "../../cli/events-where.ts";
import type { Arguments } from "../../cli/verb.ts";
import type { Intake, RangeSink } from "../../grader/read/intake.ts";
import type { PassedEvent } from "../../grader/read/passed-event.ts";
import { readSeries } from "../../grader/read/read.ts";
import { findLogs } from "../../grader/read/series.ts";
import { hostileCase } from "../support/hostile-logs.ts";
import { scratchFolder } from "../support/scratch.ts";

type Place = Parameters<Intake["line"]>[1];

/** What options of `events` ask for, by name and by field tests. */
const ASKED: readonly { readonly name?: readonly string[]; readonly where?: readonly string[] }[] = [
  { name: ["open"] },
  { name: ["OPEN", "close"] },
  { name: ["*o*"] },
  { name: ["*"] },
  { name: ["cliqué", "会話", "a/b"] },
  { where: ["data.k=click"] },
  { where: ["data.Gesture=click", "data.k"] },
  { where: ["data.k!=click"] },
  { where: ["data.k|gte=1"] },
  { where: ["data.k=null"] },
  { where: ["data.k=1"] },
  { where: ['data.k="1"'] },
  { where: ["data.deep.k=click"] },
  { where: ["data.deep.list[0]=1"] },
  { where: ["event=open", "data.k=true"] },
  { name: ["open"], where: ['data.k=q"q'] },
  { where: ["name=open"] },
];

function wordsOf(lists: (typeof ASKED)[number]): Pick<Arguments, "list" | "text"> {
  return { list: (name) => lists[name as "name" | "where"] ?? [], text: () => undefined };
}

test("looking for events without parsing those that cannot be among them finds what parsing all finds", async (t) => {
  const file = join(scratchFolder(t), "t.log");
  let passed = 0;
  let found = 0;
  for (let seed = 1; seed <= 340; seed++) {
    const lists = ASKED[seed % ASKED.length] ?? {};
    const { fits, selection } = askedBy(wordsOf(lists) as Arguments);
    const { log, lineBytes } = hostileCase(seed);
    writeFileSync(file, log);
    const [series] = (await findLogs([file])).series;
    assert.ok(series);
    const read = async (isSelective: boolean) => {
      const seen: [name: string, place: Place][] = [];
      const pass = (_: PassedEvent): void => void passed++;
      const passRun: (typeof selection)["passRun"] = ({ events }) => {
        passed += events;
      };
      const sink: RangeSink = {
        restart: () => void seen.splice(0),
        tick: () => undefined,
        gap: () => undefined,
        event: (event, place) => {
          if (fits(event)) seen.push([JSON.stringify(event["name"]), place]);
        },
        ...(isSelective ? { selection: { ...selection, pass, passRun } } : {}),
      };
      const summary = await readSeries(series, { rule: { kind: "newest" }, sink, lineBytes });
      return { seen, summary };
    };
    const all = await read(false);
    found += all.seen.length;
    assert.deepEqual(await read(true), all, `seed ${seed}: ${JSON.stringify(lists)}`);
  }
  assert.ok(passed > 1000 && found > 1000, `${passed} passed, ${found} found`);
});
