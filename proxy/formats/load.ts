import { readFileSync, statSync } from "node:fs";
import { DECODERS } from "../decoders/index.ts";
import { type Fault, fault, WaymarkError, waymarkError } from "../record/fault.ts";
import { buildFormat } from "./build.ts";
import type { FormatSpec } from "./format.ts";
import { FormatText } from "./format-text.ts";
import { formatSchema } from "./schema.ts";
import { shapeFaults } from "./shape-faults.ts";

/** More than any format needs. */
const MAX_BYTES = 200_000;

/**
 * Loads format files, for the proxy. Throws a `WaymarkError` with every problem of all of them, each with its place:
 * WM_FORMAT_UNREADABLE, WM_FORMAT_YAML, WM_FORMAT_INVALID.
 */
export function loadFormats(files: readonly string[]): FormatSpec[] {
  const faults: Fault[] = [];
  const specs: FormatSpec[] = [];
  for (const file of files) {
    try {
      specs.push(parseFormat(textOf(file), file));
    } catch (cause) {
      if (!(cause instanceof WaymarkError)) throw cause;
      faults.push(...cause.faults);
    }
  }
  if (faults.length > 0) throw new WaymarkError(faults);
  return specs;
}

/** Reads one format from its text. Throws a `WaymarkError` with every problem, each with its place. */
export function parseFormat(text: string, file: string): FormatSpec {
  const source = new FormatText(text, file);
  if (source.faults.length > 0) throw new WaymarkError(source.faults);
  const checked = formatSchema.safeParse(source.plain);
  if (!checked.success) throw new WaymarkError(checked.error.issues.flatMap((issue) => shapeFaults(issue, [], source)));
  const isTaken = DECODERS.some(({ name }) => name === checked.data.format);
  if (isTaken) source.report(`"${checked.data.format}" is the name of a format that waymark knows`, ["format"]);
  const spec = buildFormat(checked.data, source);
  if (source.faults.length > 0) throw new WaymarkError(source.faults);
  return spec;
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new WaymarkError(
        fault("WM_FORMAT_UNREADABLE", `"${file}" has ${size} bytes; at most ${MAX_BYTES} are read`),
      );
    return readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof WaymarkError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_FORMAT_UNREADABLE", `"${file}" cannot be read: ${reason}`, { cause });
  }
}
