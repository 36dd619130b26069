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

function proxy(ofDirect: number, peakMb = 70) {
  const row = { way: "waymark proxy", perSecond: 9000, ofDirect, ofTunnel: 0.7, toMitm: 3 };
  return [{ ...row, addedP50Ms: 1, addedP99Ms: 5, cpuUs: 90, peakMb }];
}

const memory = (smallMb: number | undefined, largeMb: number | undefined) => {
  const grown = smallMb === undefined || largeMb === undefined ? undefined : largeMb / smallMb;
  return [
    { bytes: 1e8, threads: 1, peakMb: smallMb, ofSmallest: 1 },
    { bytes: 1e9, threads: 1, peakMb: largeMb, ofSmallest: grown },
    { bytes: 1e9, threads: 2, peakMb: 500, ofSmallest: 9 },
  ];
};

const start = (toBareCpu: number) => [
  { program: "node -e 0", wallMs: 40, cpuMs: 40, toBare: 1, toBareCpu: 1 },
  { program: "waymark grade, 1 MB", wallMs: 120, cpuMs: 120, toBare: 3, toBareCpu },
];

test("figures at their floors hold", () => {
  assert.deepEqual(shortfalls({ start: start(6) }), []);
  assert.deepEqual(shortfalls({ grade: grade(2), proxy: proxy(0.3, 140), memory: memory(110, 120) }), []);
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
    proxy: proxy(0.29, 141),
    start: start(6.01),
    memory: memory(80, 121),
  });
  assert.deepEqual(missed, [
    "grading the sparse log: 1.99 x the Python loop, the floor is 2",
    "grading the sparse log: 4.99 x the Python loop, the floor is 5",
    "grading 1 MB, start to verdict: 6.01 x a bare Node's start, the ceiling is 6",
    "the proxy's speed: 0.29 of direct, the floor is 0.3",
    "the proxy's peak memory: 141.00 MB, the ceiling is 140",
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
  assert.deepEqual(shortfalls({ grade: [loop, { ...ours, kind: "escaped", toLoopCpu: 1.51 }] }), []);
  assert.equal(shortfalls({ grade: [loop, { ...ours, kind: "dense", toLoopCpu: 1.51 }] }).length, 1);
});

test("--fast and a hundred scenarios have floors of their own", () => {
  const [, ours] = grade(9.9, 1e9);
  assert.ok(ours !== undefined);
  const fast = { ...ours, program: "waymark grade --fast" };
  const scale = { what: "scenarios" as const, count: 100, bytes: 1e9, wallMs: 1, cpuMs: 1 };
  const missed = shortfalls({ grade: [ours, fast], scale: [{ ...scale, ofOne: 0.31 }] });
  assert.deepEqual(missed, [
    "grading the sparse log with --fast: 9.90 x the Python loop, the floor is 10",
    "grading 100 scenarios in one pass: 0.31 of the speed with one, the floor is 0.32",
  ]);
  assert.deepEqual(
    shortfalls({
      scale: [
        { ...scale, ofOne: 0.32 },
        { ...scale, bytes: 1e8, ofOne: 0.2 },
      ],
    }),
    [],
  );
  assert.deepEqual(shortfalls({ scale: [{ ...scale, count: 10, ofOne: 0.1 }] }), []);
});

test("a figure that is absent though its part ran does not pass for a good one", () => {
  const missed = shortfalls({ grade: grade(Number.NaN), proxy: [], memory: memory(undefined, undefined) });
  assert.deepEqual(missed, [
    "grading the sparse log was not measured",
    "the proxy's speed was not measured",
    ...(process.platform === "linux" ? ["the proxy's peak memory was not measured"] : []),
    "peak memory of grading 1 GB was not measured",
    "peak memory of 1 GB against 100 MB was not measured",
  ]);
  assert.deepEqual(shortfalls({ grade: [] }), ["grading was not measured"]);
});
