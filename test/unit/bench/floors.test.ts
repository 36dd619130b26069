import assert from "node:assert/strict";
import test from "node:test";
import { shortfalls } from "../../../bench/floors.ts";

function grade(toLoop: number, bytes = 1e8) {
  const speeds = { wallMs: 1700, cpuMs: 1700, mbPerSecond: 60, toSplit2: 2, toRipgrep: 0.1, toLoopCpu: toLoop };
  const figures = { kind: "sparse" as const, bytes, ...speeds, peakMb: 50 };
  return [
    { ...figures, program: "Python loop", toLoop: 1 },
    { ...figures, program: "waymark grade", toLoop },
  ];
}

function proxy(ofDirect: number) {
  const row = { way: "waymark proxy", perSecond: 9000, ofDirect, ofTunnel: 0.7, toMitm: 3 };
  return [{ ...row, addedP50Ms: 1, addedP99Ms: 5, cpuUs: 90, peakMb: 70 }];
}

const memory = (smallMb: number | undefined, largeMb: number | undefined) => [
  { bytes: 1e9, peakMb: largeMb },
  { bytes: 1e8, peakMb: smallMb },
];

test("figures at their floors hold", () => {
  assert.deepEqual(shortfalls({ grade: grade(2), proxy: proxy(0.3), memory: memory(110, 120) }), []);
  assert.deepEqual(shortfalls({ grade: grade(5, 1e9) }), []);
  assert.deepEqual(shortfalls({}), [], "of a part that did not run nothing is said");
});

test("every decoder has to reach 20 MB/s, whatever finding it and inflating cost", () => {
  const speed = { requests: 1, bytesPerRequest: 400, findMBps: 1, readMBps: 1 };
  const decode = [
    { ...speed, decoder: "slow", decodeMBps: 19.9 },
    { ...speed, decoder: "fit", decodeMBps: 20 },
    { ...speed, decoder: "lost", decodeMBps: Number.NaN },
  ];
  assert.deepEqual(shortfalls({ decode }), [
    "decoding slow: 19.90 MB/s, the floor is 20",
    "decoding lost was not measured",
  ]);
});

test("each figure under its floor is named with both numbers", () => {
  const missed = shortfalls({
    grade: [...grade(1.99), ...grade(4.99, 1e9)],
    proxy: proxy(0.29),
    memory: memory(80, 121),
  });
  assert.deepEqual(missed, [
    "grading the sparse log: 1.99 x the Python loop, the floor is 2",
    "grading the sparse log: 4.99 x the Python loop, the floor is 5",
    "the proxy's speed: 0.29 of direct, the floor is 0.3",
    "peak memory of grading 1 GB: 121.00 MB, the ceiling is 120",
    "peak memory of 1 GB against 100 MB: 1.51 x, the ceiling is 1.1",
  ]);
});

test("grading is held to processor time, and to wall time where that is not known", () => {
  const [loop, ours] = grade(3);
  assert.ok(loop !== undefined && ours !== undefined);
  assert.deepEqual(shortfalls({ grade: [loop, { ...ours, toLoop: 1 }] }), []);
  assert.equal(shortfalls({ grade: [loop, { ...ours, toLoopCpu: 1 }] }).length, 1);
  assert.equal(shortfalls({ grade: [loop, { ...ours, toLoop: 1, toLoopCpu: Number.NaN }] }).length, 1);
  assert.deepEqual(shortfalls({ grade: [loop, { ...ours, kind: "escaped", toLoopCpu: 1.01 }] }), []);
});

test("a figure that is absent though its part ran does not pass for a good one", () => {
  const missed = shortfalls({ grade: grade(Number.NaN), proxy: [], memory: memory(undefined, undefined) });
  assert.deepEqual(missed, [
    "grading the sparse log was not measured",
    "the proxy's speed was not measured",
    "peak memory of grading 1 GB was not measured",
    "peak memory of 1 GB against 100 MB was not measured",
  ]);
  assert.deepEqual(shortfalls({ grade: [] }), ["grading was not measured"]);
});
