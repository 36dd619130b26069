import { type Account, accountOfBatch, accountOfResults, type Outcome } from "../account.ts";
import type { Reporter } from "../reporter.ts";
import { asText } from "../text.ts";

/** TAP 14 (testanything.org): a line per run; a failure that a met gate forgives is a TODO, which breaks no build. */
export const tap: Reporter = {
  name: "tap",
  describe: "TAP 14: a line per run, with the reason as YAML below it",
  create: ({ write }) => ({
    onEnd: (document) => write(textOf(accountOfResults(document))),
    onBatch: (document) => write(textOf(accountOfBatch(document))),
  }),
};

function textOf({ outcomes }: Account): string {
  const lines = outcomes.flatMap((outcome, at) => linesOf(outcome, at + 1));
  return `${["TAP version 14", `1..${outcomes.length}`, ...lines].join("\n")}\n`;
}

function linesOf({ verdict, scenario, label, forgiven, reason, result }: Outcome, number: number): readonly string[] {
  const name = described(`${scenario}, ${label}`);
  if (verdict === "interrupted") return [`ok ${number} - ${name} # SKIP interrupted`];
  if (verdict === "pass") return [`ok ${number} - ${name}`];
  const directive = forgiven ? " # TODO the gate is met all the same" : "";
  const missing = result?.markers.find(({ status }) => status === "missing");
  const at = missing === undefined ? [] : [`  at: ${quoted(`${missing.source.file}:${missing.source.line}`)}`];
  return [
    `not ok ${number} - ${name}${directive}`,
    "  ---",
    `  severity: ${verdict}`,
    `  message: ${quoted(reason)}`,
    ...at,
    "  ...",
  ];
}

/** `#` begins a directive and a backslash an escape, so both are escaped. */
function described(text: string): string {
  return asText(text).replace(/[\\#]/g, (character) => `\\${character}`);
}

/** A YAML double-quoted scalar, of which JSON's text is a kind. */
function quoted(text: string): string {
  return JSON.stringify(asText(text));
}
