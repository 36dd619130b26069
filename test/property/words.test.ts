import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { argumentsOf, optionsOf } from "../../cli/arguments.ts";
import { grade } from "../../cli/grade.ts";
import { loadParser } from "../../cli/parse.ts";
import { environmentOnly } from "../../cli/settings.ts";
import { plainWords } from "../../cli/words.ts";
import { WaymarkError } from "../../proxy/record/fault.ts";

const { parseWords } = await loadParser();

const PIECES =
  "a.log -s --scenario --scenario=x --json -q -v --quiet --no-store --store true false --no-json --all --db x.db --db=y.db --db= --param a.b=1 --param=k=v --nope --no-db -qv -s=x -- - --help 007 1e3 --no-no-store --wait=30s 'q' \"q\" --constructor --s x --all=true é".split(
    " ",
  );

const options = optionsOf(grade);

function read(words: readonly string[], parse: () => ReturnType<typeof argumentsOf>): unknown {
  try {
    const args = parse();
    const values = Object.entries(options).map(([name, { kind }]) => [
      name,
      kind === "flag" ? args.flag(name) : kind === "list" ? args.list(name) : args.text(name),
    ]);
    return { positionals: args.positionals, command: args.command, values };
  } catch (error) {
    if (error instanceof WaymarkError) return error.message;
    throw new Error(`neither parsed nor refused: ${words.join(" ")}`, { cause: error });
  }
}

test("a command line that needs no yargs is read as yargs reads it", () => {
  let plainLines = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), (words) => {
      const plain = plainWords(options, words);
      if (plain === undefined) return;
      plainLines += 1;
      const own = read(words, () => argumentsOf(grade, plain, environmentOnly({})));
      const yargs = read(words, () => argumentsOf(grade, parseWords(grade, words), environmentOnly({})));
      assert.deepEqual(own, yargs, words.join(" "));
    }),
    { numRuns: 1500 },
  );
  assert.ok(plainLines > 100, `${plainLines} of 1500 were plain`);
});

test("the usual command lines need no yargs", () => {
  for (const line of [
    "--scenario simple_collab_switch",
    "-s checkout --json run.ndjson",
    "a.log b.log -s a -s b --no-store --db=x.db -q",
    "--wait 30s --param user=7",
  ]) {
    assert.notEqual(plainWords(options, line.split(" ")), undefined, line);
  }
});
