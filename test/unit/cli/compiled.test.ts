import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import test, { type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { loadProgram } from "../../../cli/compiled.ts";
import { scratchFolder } from "../../support/scratch.ts";

const isKeptByNode = "enableCompileCache" in nodeModule || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined;
const options = { skip: isKeptByNode ? "Node keeps compiled code itself, or is told not to" : false };

interface Program {
  readonly says: string;
  readonly fromFile: string;
  sum(numbers: readonly number[]): number;
  base(): Promise<{ readonly basename: (path: string) => string }>;
}

const TEXT = `exports.says = "first"; exports.fromFile = require("node:path").basename(__filename);
exports.sum = (numbers) => numbers.reduce((sum, one) => sum + one, 0); exports.base = () => module.loadES("node:path");`;

interface Case {
  readonly file: string;
  /** The file of the code that is kept; undefined while there is none. */
  kept(): string | undefined;
  load(): { readonly program: Program; readonly keep: () => void };
}

function programIn(t: TestContext): Case {
  const folder = scratchFolder(t);
  const file = join(folder, "program.cjs");
  writeFileSync(file, TEXT);
  return {
    file,
    kept() {
      const name = readdirSync(folder).find((one) => one.endsWith(".compiled"));
      return name === undefined ? undefined : join(folder, name);
    },
    load() {
      const { exports, keep } = loadProgram(pathToFileURL(file));
      return { program: exports as Program, keep };
    },
  };
}

/** All that the program does, loaded twice: compiled, and from what was kept of that. */
test("a program does the same from its kept code, ES modules included", options, async (t) => {
  const { load, kept } = programIn(t);
  for (const round of ["compiled", "kept"]) {
    const { program, keep } = load();
    assert.deepEqual([program.says, program.fromFile, program.sum([1, 2, 3])], ["first", "program.cjs", 6], round);
    assert.equal((await program.base()).basename("a/b"), "b", round);
    assert.equal(kept() === undefined, round === "compiled");
    keep();
  }
  const written = readFileSync(kept() ?? "");
  load().keep();
  assert.deepEqual(readFileSync(kept() ?? ""), written, "what serves is not written again");
});

test("another program of the same length and time is compiled anew", options, (t) => {
  const { file, load } = programIn(t);
  utimesSync(file, 1000, 1000);
  load().keep();
  writeFileSync(file, TEXT.replace("first", "other"));
  utimesSync(file, 1000, 1000);
  const { program, keep } = load();
  assert.equal(program.says, "other");
  keep();
  assert.equal(load().program.says, "other");
});

test("kept code that was damaged anywhere is not run, but replaced", options, (t) => {
  const { load, kept } = programIn(t);
  load().keep();
  const file = kept() ?? "";
  const whole = readFileSync(file);
  for (let at = 0; at < whole.length; at += 13) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 255;
    writeFileSync(file, damaged);
    const { program, keep } = load();
    assert.deepEqual([program.says, program.sum([2, 2])], ["first", 4], `byte ${at}`);
    keep();
    const mended = readFileSync(file);
    assert.notDeepEqual(mended, damaged, `byte ${at}`);
    load().keep();
    assert.deepEqual(readFileSync(file), mended, `byte ${at}: what is kept now serves`);
  }
  for (const cut of [whole.subarray(0, 10), whole.subarray(0, -1), Buffer.alloc(0)]) {
    writeFileSync(file, cut);
    assert.equal(load().program.says, "first");
  }
});

test("where nothing can be written, the program runs all the same", options, (t) => {
  const { file, load } = programIn(t);
  mkdirSync(`${file}.${process.version}-${process.arch}.compiled`); // no file can take its place
  const { program, keep } = load();
  keep();
  assert.equal(program.says, "first");
  assert.equal(load().program.says, "first");
  assert.equal(readdirSync(dirname(file)).length, 2, "nothing is left lying about");
});
