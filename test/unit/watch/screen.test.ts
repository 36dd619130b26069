import assert from "node:assert/strict";
import test from "node:test";
import { LiveSeries } from "../../../grader/live-series.ts";
import { seatScenarios } from "../../../grader/panel.ts";
import { paintFor } from "../../../grader/report/paint.ts";
import { parseScenario } from "../../../grader/scenario/parse-scenario.ts";
import { lineWidth, paintLine } from "../../../grader/watch/line.ts";
import { liveRun } from "../../../grader/watch/live-view.ts";
import { NewsReel, newsLine } from "../../../grader/watch/news.ts";
import { screenLines } from "../../../grader/watch/screen.ts";

const START = Date.parse("2026-01-31T12:00:00.000Z");
const NAMES = ["one", "two", "three", "four", "five", "six"];

/** A series that is graded while a test feeds it; the clock stands where the test puts it. */
function fed(extra = "") {
  const markers = NAMES.map((name) => `  - name: ${name}\n    event: ${name}\n    within: 10s`).join("\n");
  const scenario = parseScenario(`waymark: 1\nscenario: steps\nmarkers:\n${markers}\n${extra}`, "steps.yaml");
  let now = START;
  const live = new LiveSeries(seatScenarios([scenario], new Map()), { now: () => now });
  live.goLive();
  let line = 0;
  return {
    live,
    at: (ms: number) => {
      now = START + ms;
      return now;
    },
    event: (name: string, ms: number) => {
      now = START + ms;
      line += 1;
      live.event({ name, time: new Date(now).toISOString() }, { file: "t-0.log", line, record: line - 1 });
    },
  };
}

function screenOf(
  live: LiveSeries,
  nowMs: number,
  { columns = 80, rows = 24, explain = false } = {},
): readonly string[] {
  const view = { log: "logs", series: [live.standing("t")], nowMs, explain, keys: ["q quit"] };
  const lines = screenLines(view, { columns, rows });
  for (const one of lines) assert.ok(lineWidth(one) <= columns);
  assert.ok(lines.length <= rows);
  return lines.map((one) => paintLine(one, paintFor(false)));
}

test("lights, times since the marker before, the wait against its limit, and the rules", () => {
  const { live, event, at } = fed("rules:\n  - never: { event: call_dropped }\n    name: no drop\n");
  event("zero", 0);
  event("one", 800);
  event("two", 2100);
  const lines = screenOf(live, at(6200));
  assert.match(lines[0] ?? "", /^steps {3}● live {3}3 events {3}2\/6 markers {3}6\.2 s$/);
  assert.match(lines[1] ?? "", /^ 1 ● one +800 ms$/);
  assert.match(lines[2] ?? "", /^ 2 ● two +\+1\.3 s$/);
  assert.match(lines[3] ?? "", /^ 3 ◐ three +waiting 4\.1 s of 10\.0 s$/);
  assert.match(lines[4] ?? "", /^ 4 ○ four/);
  assert.ok(
    lines.some((one) => /^ – never: no drop {3}none seen$/.test(one)),
    lines.join("\n"),
  );
  event("call_dropped", 6300);
  assert.match(screenOf(live, at(6300)).join("\n"), /✗ fail[\s\S]*✗ never: no drop/);
});

test("looking changes nothing: the verdict is that of the panel that nobody looked at", () => {
  const [looked, alone] = [fed(), fed()];
  for (const [index, name] of [...NAMES, "noise"].entries()) {
    looked.event(name, index * 100);
    screenOf(looked.live, looked.at(index * 100));
    alone.event(name, index * 100);
  }
  assert.deepEqual(looked.live.panel.finish({ kind: "complete" }), alone.live.panel.finish({ kind: "complete" }));
});

test("every size of screen holds what is waited for, as long as there is a row for it", () => {
  const { live, event, at } = fed();
  for (const [index, name] of NAMES.slice(0, 3).entries()) event(name, index * 100);
  for (let rows = 1; rows <= 12; rows++) {
    for (const columns of [1, 10, 20, 40, 80]) {
      const lines = screenOf(live, at(400), { rows, columns });
      if (rows >= 5 && columns >= 20)
        assert.ok(
          lines.some((one) => one.includes("◐ four")),
          `${columns}x${rows}`,
        );
    }
  }
});

test("a newer capture begins anew, and news are told once", () => {
  const { live, event } = fed();
  const reel = new NewsReel();
  const told = (): readonly string[] => reel.take(live.standing("t")).flatMap((news) => newsLine(news) ?? []);
  event("one", 0);
  assert.deepEqual(told(), ["watching t", "steps  1/6 ● one  t-0.log:1"]);
  event("noise", 50);
  assert.deepEqual(told(), []);
  event("two", 100);
  live.restart();
  event("one", 200);
  assert.deepEqual(told(), ["watching t: a newer capture begins", "steps  1/6 ● one  t-0.log:4"]);
  live.stop();
  assert.deepEqual(told(), ["t: the capture is over after 1 event"]);
});

test("events sorted by time light up when they come", () => {
  const { live, event, at } = fed("events:\n  order: time\n  lateness: 30s\n");
  event("one", 0);
  event("two", 100);
  assert.match(screenOf(live, at(200)).join("\n"), /2\/6 markers/);
});

test("the served page gets the same lights", () => {
  const { live, event, at } = fed();
  event("one", 100);
  const run = liveRun({ id: "r", label: "run 1" }, [live.standing("t")], at(300));
  const [scenario] = run.scenarios;
  assert.deepEqual(
    scenario?.markers.map(({ light }) => light),
    ["found", "waiting", "open", "open", "open", "open"],
  );
  assert.deepEqual([scenario?.lit, scenario?.of, scenario?.waited_ms, scenario?.state], [1, 6, 200, "live"]);
});
