import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { readState } from "../../../grader/learn/session.ts";
import { moment, type Screen, screenshot, toPng } from "../../support/pictures.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { say } from "../../support/terminal.ts";

const needsSharp = { skip: hasSharp() ? false : "the optional package sharp is not installed" };

function hasSharp(): boolean {
  try {
    return createRequire(import.meta.url).resolve("sharp") !== "";
  } catch {
    return false;
  }
}

/** The loading-screen example of the method, told by pictures alone: every event has the same name. */
const EXAMPLE: readonly (readonly Screen[])[] = [
  ["search dialog", "search results"],
  ["search dialog", "loading", "search results"],
  ["search dialog", "search results"],
];

/** A log whose events name their screenshots; no two pictures have the same clock or window. */
function logOf(folder: string, run: number, screens: readonly Screen[]): string {
  mkdirSync(join(folder, `run${run}`, "shots"), { recursive: true });
  const lines = screens.map((screen, at) => {
    const shot = `shots/${screen.replace(" ", "-")}-${run}-${at}.png`;
    writeFileSync(join(folder, `run${run}`, shot), toPng(screenshot(screen, moment(10 * run + at))));
    return `${JSON.stringify({ name: "screen_shown", time: `2026-01-01T00:00:0${at}Z`, data: { shot } })}\n`;
  });
  const log = join(folder, `run${run}`, "telemetry.ndjson");
  writeFileSync(log, lines.join(""));
  return log;
}

interface Drawn {
  readonly states: readonly { readonly label: string; readonly kind: string; readonly runs: number }[];
  readonly pictures: { readonly count: number; readonly looks: number; readonly open: number };
}

async function learned(t: TestContext, runs: readonly (readonly Screen[])[], ...words: string[]) {
  const folder = scratchFolder(t);
  const logs = runs.map((screens, run) => logOf(folder, run, screens));
  const [out, graph] = [join(folder, "s.yaml"), join(folder, "graph.json")];
  const said = await say(["learn", ...logs, "-o", out, "--graph", graph, ...words]);
  assert.equal(said.code, 0, said.stderr);
  return { folder, logs, out, said, drawn: JSON.parse(readFileSync(graph, "utf8")) as Drawn };
}

function inWords({ states }: Drawn): readonly string[] {
  const inner = states.filter(({ kind }) => kind === "essential" || kind === "optional");
  return inner.map(({ label, kind, runs }) => `${/\((\D*)-\d/.exec(label)?.[1] ?? label}: ${kind}, ${runs}`).sort();
}

test(
  "the loading-screen example by pictures alone: dialog and results are essential, loading optional",
  needsSharp,
  async (t) => {
    const { drawn, said, out } = await learned(t, EXAMPLE);
    assert.deepEqual(inWords(drawn), [
      "loading: optional, 1",
      "search-dialog: essential, 3",
      "search-results: essential, 3",
    ]);
    assert.equal(drawn.pictures.count, 7);
    assert.equal(drawn.pictures.looks, 3);
    assert.match(said.stderr, /7 pictures show 3 looks/);
    assert.match(readFileSync(out, "utf8"), /provisional: true # .*differ in their pictures only/);
  },
);

test("an error dialog over the results stays a state of its own", needsSharp, async (t) => {
  const { drawn } = await learned(t, [...EXAMPLE, ["search dialog", "error", "search results"]]);
  assert.deepEqual(inWords(drawn), [
    "error: optional, 1",
    "loading: optional, 1",
    "search-dialog: essential, 4",
    "search-results: essential, 4",
  ]);
});

test("adding runs one by one gives the bytes of learning from all, pictures included", needsSharp, async (t) => {
  const { folder, logs, out } = await learned(t, EXAMPLE, "--name", "s");
  const grown = join(folder, "grown.yaml");
  assert.equal((await say(["learn", logs[2] ?? "", "-o", grown, "--name", "s"])).code, 0);
  for (const log of [logs[0], logs[1]]) {
    assert.equal((await say(["learn", "--add", log ?? "", "-o", grown, "--name", "s"])).code, 0);
  }
  assert.equal(readFileSync(grown, "utf8"), readFileSync(out, "utf8"));
  assert.deepEqual(readState(grown)?.corpus, readState(out)?.corpus);
  await say(["learn", ...[...logs].reverse(), "-o", join(folder, "s2.yaml"), "--name", "s"]);
  assert.equal(readFileSync(join(folder, "s2.yaml"), "utf8"), readFileSync(out, "utf8"));
});

/** Two runs that end in one page, on one of them under a notice too small to be sure of and too large to be nothing. */
function unsure(t: TestContext): readonly string[] {
  const folder = scratchFolder(t);
  return [0, 1].map((run) => {
    const log = logOf(folder, run, ["search dialog", "search results"]);
    const on = screenshot("search results", moment(run));
    const width = 170;
    if (run === 1)
      for (let y = 300; y < 385; y++) on.bytes.fill(20, (y * 1280 + 500) * 3, (y * 1280 + 500 + width) * 3);
    writeFileSync(join(folder, `run${run}`, `shots/search-results-${run}-1.png`), toPng(on));
    return log;
  });
}

test("a judge is asked about what the tiers leave open, once, and its answer is kept", needsSharp, async (t) => {
  const logs = unsure(t);
  const folder = scratchFolder(t);
  const out = join(folder, "s.yaml");
  const asked = join(folder, "asked.ndjson");
  const judge = join(folder, "judge.mjs");
  writeFileSync(
    judge,
    `import { appendFileSync, readFileSync } from "node:fs";
const question = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(${JSON.stringify(asked)}, JSON.stringify(question) + "\\n");
console.log(JSON.stringify({ same: true, why: "the notice is small" }));\n`,
  );
  const plain = await say(["learn", ...logs, "-o", out]);
  assert.match(plain.stderr, /not decided, so kept apart: .*search-results-[01]-1\.png/);
  const command = `"${process.execPath}" "${judge}"`;
  const ruled = await say(["learn", ...logs, "-o", out, "--judge", command, "--json"]);
  assert.equal(ruled.code, 0, ruled.stderr);
  const { pictures, rulings } = JSON.parse(ruled.stdout) as {
    pictures: { looks: number; open: unknown[] };
    rulings: { same: boolean; why: string; comparison: { tier: string } }[];
  };
  assert.deepEqual([pictures.looks, pictures.open.length], [2, 0]);
  assert.deepEqual([rulings.length, rulings[0]?.same, rulings[0]?.why], [1, true, "the notice is small"]);
  assert.equal(rulings[0]?.comparison.tier, "similarity", "the evidence stands beside the answer");
  await say(["learn", ...logs, "-o", out, "--judge", command]);
  const [question, ...more] = readFileSync(asked, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { a: { file: string } });
  assert.deepEqual(more, [], "asked once");
  assert.ok(existsSync(question?.a.file ?? ""));
});

test("a judge that fails or talks nonsense is named, and nothing is guessed in its stead", needsSharp, async (t) => {
  const logs = unsure(t);
  for (const script of ["process.exit(3)", "console.log('yes')", "console.log('{\"same\": 1}')"]) {
    const said = await say([
      "learn",
      ...logs,
      "--judge",
      `"${process.execPath}" -e "${script.replaceAll('"', '\\"')}"`,
    ]);
    assert.equal(said.code, 2);
    assert.match(said.stderr, /WM_LEARN_JUDGE/);
  }
});

test("a picture that cannot be read is named, and learning goes on", needsSharp, async (t) => {
  const folder = scratchFolder(t);
  const log = logOf(folder, 0, ["search dialog", "search results"]);
  writeFileSync(join(folder, "run0", "shots", "search-dialog-0-0.png"), "no picture");
  const said = await say(["learn", log]);
  assert.equal(said.code, 0);
  assert.match(said.stderr, /no picture that can be read: .*search-dialog-0-0\.png/);
});
