import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import fc from "fast-check";
import { formatFiles } from "../../../../proxy/formats/format-files.ts";
import { loadFormats, parseFormat } from "../../../../proxy/formats/load.ts";
import { WaymarkError } from "../../../../proxy/record/fault.ts";
import { scratchFolder } from "../../../support/scratch.ts";

/** Code, line and column of each fault. */
function faultsIn(yaml: string): string[] {
  try {
    parseFormat(yaml, "f.yaml");
    return [];
  } catch (error) {
    assert.ok(error instanceof WaymarkError, String(error));
    return error.faults.map(({ code, place, message }) => `${place?.line}:${place?.column} ${code} ${message}`);
  }
}

const CASES: readonly (readonly [yaml: string, fault: RegExp])[] = [
  [
    "waymark: 1\nformat: a\nmatch: {path: /x}\nnmae: $.n\n",
    /^4:1 WM_FORMAT_INVALID unknown key "nmae" — did you mean "name"/,
  ],
  ["waymark: 1\nformat: a\nmatch: {path: /x}\n", /the key "name" is missing/],
  ["format: a\nmatch: {path: /x}\nname: $.n\n", /the key "waymark" is missing/],
  ["waymark: 1\nformat: A b\nmatch: {path: /x}\nname: $.n\n", /^2:9 WM_FORMAT_INVALID "format" has to be a name of/],
  ["waymark: 1\nformat: sentry\nmatch: {path: /x}\nname: $.n\n", /^2:9 .*name of a format that waymark knows/],
  ["waymark: 1\nformat: a\nmatch: {}\nname: $.n\n", /^3:8 .*claim every request/],
  ["waymark: 1\nformat: a\nmatch: {path: /x}\nname: n\n", /^4:7 .*"name" has to be where a value stands/],
  ["waymark: 1\nformat: a\nmatch: {path: /x}\nname: $.n[?(@.x]\n", /^4:7 .*is no JSONPath: expected/],
  ["waymark: 1\nformat: a\nmatch: {path_re: '(?=x)'}\nname: $.n\n", /^3:18 /],
  ["waymark: 1\nformat: a\nmatch: {shape: {$.a: lst}}\nname: $.n\n", /^3:22 .*has to be object, list/],
  ["waymark: 1\nformat: a\nmatch: {host: 'http://x'}\nname: $.n\n", /^3:15 .*no host pattern/],
  [
    "waymark: 1\nformat: a\nmatch: {path: /x}\nname: $.n\ntime: {from: $.t, unti: s}\n",
    /^5:19 .*unknown key "unti" — did you mean "unit"/,
  ],
  ["waymark: 1\nformat: a\nmatch: {path: /x}\nname: $.n\ntime: {from: $.t, unit: min}\n", /^5:25 .*s, ms, us or ns/],
  ["waymark: 1\nformat: a\nmatch: {path: /x}\nname: $.n\nredact: ['$capture']\n", /^5:10 .*no path into a record/],
  ["waymark: 1\nformat: a\nmatch: {path: /x\nname: $.n\n", /WM_FORMAT_YAML/],
  ["- a\n", /the file has to be a format/],
];

for (const [yaml, wanted] of CASES) {
  test(`a mistake has its place: ${String(wanted).slice(0, 60)}`, () => {
    const faults = faultsIn(yaml);
    assert.ok(
      faults.some((fault) => wanted.test(fault)),
      faults.join("\n"),
    );
  });
}

test("all mistakes of a file are told at once", () => {
  const faults = faultsIn("waymark: 1\nformat: a\nmatch: {path: /x}\nname: n\nevents: x\nfoo: 1\n");
  assert.ok(faults.length >= 2, faults.join("\n"));
});

test("no text makes the loader throw anything but faults", () => {
  const words = fc.constantFrom(
    "waymark: 1\n",
    "format: a\n",
    "match: {path: /x}\n",
    "name: $.n\n",
    "- ",
    "{",
    "}",
    "[",
    "&a ",
    "*a",
    ": ",
    "\n",
    "'",
    '"',
    "$",
    "shape: {",
    "data: ",
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(words, fc.string({ maxLength: 6 })), { maxLength: 14 }),
      (parts) => void faultsIn(parts.join("")),
    ),
    { numRuns: 300 },
  );
});

test("a folder's format files are read by name; a missing file and a missing folder are told or nothing", (t) => {
  const folder = join(scratchFolder(t), "formats");
  assert.deepEqual(formatFiles(folder), []);
  mkdirSync(folder);
  writeFileSync(join(folder, "b.yaml"), "waymark: 1\nformat: b\nmatch: {path: /b}\nname: $.n\n");
  writeFileSync(join(folder, "a.yml"), "waymark: 1\nformat: a\nmatch: {path: /a}\nname: $.n\n");
  writeFileSync(join(folder, "notes.txt"), "");
  assert.deepEqual(
    loadFormats(formatFiles(folder)).map(({ name }) => name),
    ["a", "b"],
  );
  assert.throws(() => loadFormats([join(folder, "none.yaml")]), /WM_FORMAT_UNREADABLE/);
});
