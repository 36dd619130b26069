import { writeFileSync } from "node:fs";
import { type Paint, paintFor } from "../grader/report/paint.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { type JsonValue, stringifyJson } from "../proxy/record/json.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

/** One document in its two forms. */
export interface Report {
  readonly document: object;
  text(paint: Paint, detail: 0 | 1 | 2): string;
}

const KNOWN = ["pretty", "plain", "json"];

/**
 * Writes a document as `--json` and `--reporter` ask: JSON alone on stdout, else text, with colour when pretty on a
 * terminal; `NAME=FILE` goes to that file. Throws `WM_USAGE` for an unknown reporter, `WM_OUTPUT_FAILED` for a file.
 */
export function deliver({ document, text }: Report, args: Arguments, terminal: Terminal): void {
  const detail = args.flag("quiet") ? 0 : args.flag("verbose") ? 2 : 1;
  for (const target of targetsOf(args)) {
    const [, name = "", file] = /^([^=]*)(?:=(.*))?$/s.exec(target) ?? [];
    if (!KNOWN.includes(name)) throw unknown(name);
    const paint = paintFor(name === "pretty" && file === undefined && terminal.colour);
    const shown = name === "json" ? `${stringifyJson(document as JsonValue)}\n` : text(paint, detail);
    if (file === undefined) terminal.out(shown);
    else write(file, shown);
  }
}

function targetsOf(args: Arguments): readonly string[] {
  const asked = args.list("reporter").flatMap((list) => list.split(",").filter((item) => item !== ""));
  if (args.flag("json")) return ["json", ...asked.filter((item) => item.includes("="))];
  return asked.length > 0 ? asked : ["pretty"];
}

function unknown(name: string) {
  const fix = `Known: ${KNOWN.join(", ")}.`;
  return waymarkError("WM_USAGE", `there is no reporter "${name}" here${didYouMean(name, KNOWN)}`, { fix });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw waymarkError("WM_OUTPUT_FAILED", `${file} cannot be written`, { cause });
  }
}

/** Lines of cells padded to columns, two spaces apart. Cells are shown as they are, so they must be safe and unpainted. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
