import assert from "node:assert/strict";
import test from "node:test";
import { argumentsOf } from "../../../cli/arguments.ts";
import { loadParser } from "../../../cli/parse.ts";
import { environmentOnly } from "../../../cli/settings.ts";
import type { Arguments, Verb } from "../../../cli/verb.ts";
import { WaymarkError } from "../../../proxy/record/fault.ts";

const { helpOf, parseWords } = await loadParser();

const verb: Verb = {
  name: "grade",
  usage: "grade [LOG..]",
  describe: "Grades logs.",
  options: {
    scenario: { kind: "list", alias: "s", describe: "which scenarios" },
    db: { kind: "text", describe: "database" },
    store: { kind: "flag", describe: "keep the result" },
    param: { kind: "list", describe: "NAME=VALUE" },
  },
  maxPositionals: 2,
  takesCommand: true,
  run: async () => 0,
};

const parse = (words: readonly string[], env: Record<string, string> = {}): Arguments =>
  argumentsOf(verb, parseWords(verb, words), environmentOnly(env));
const usage = (pattern: RegExp) => (error: unknown) =>
  error instanceof WaymarkError && error.code === "WM_USAGE" && pattern.test(error.message);

test("a list option takes one value each time and leaves the logs alone", () => {
  const args = parse(["--scenario", "a", "one.log", "-s", "b"]);
  assert.deepEqual(args.list("scenario"), ["a", "b"]);
  assert.deepEqual(args.positionals, ["one.log"]);
});

test("words are never turned into numbers, before and behind --", () => {
  const args = parse(["007", "1e3", "--", "node", "argv.mjs", "-n", "5", "007", "--help", "", "a b", "0x10"]);
  assert.deepEqual(args.positionals, ["007", "1e3"]);
  assert.deepEqual(args.command, ["node", "argv.mjs", "-n", "5", "007", "--help", "", "a b", "0x10"]);
});

test("of a repeated text option the last value counts", () => {
  assert.equal(parse(["--db", "a", "--db", "b"]).text("db"), "b");
});

test("--no- switches a flag off, and dots in names stay dots", () => {
  assert.equal(parse(["--no-store"]).flag("store"), false);
  assert.equal(parse([]).flag("store"), undefined);
  assert.deepEqual(parse(["--param", "a.b=1"]).list("param"), ["a.b=1"]);
});

test("the environment stands in for an option that is not given", () => {
  assert.equal(parse([], { WAYMARK_DB: "env.db" }).text("db"), "env.db");
  assert.equal(parse(["--db", "flag.db"], { WAYMARK_DB: "env.db" }).text("db"), "flag.db");
  assert.equal(parse([], { WAYMARK_RUN_ID: "x" }).text("db"), undefined);
});

test("an unknown option is refused with the nearest one", () => {
  assert.throws(() => parse(["--scenarios", "a"]), usage(/no option --scenarios.*did you mean "scenario"/));
  assert.throws(() => parse(["--db"]), usage(/Not enough arguments|db/));
  assert.throws(() => parse(["a", "b", "c"]), usage(/at most 2 words/));
});

test("the help page shows usage, options and the common ones", async () => {
  const page = await helpOf(verb);
  for (const part of ["grade [LOG..]", "--scenario", "--json", "--quiet"]) assert.ok(page.includes(part), part);
});
