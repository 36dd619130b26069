import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { waymarkError } from "../proxy/record/fault.ts";

export interface Written {
  readonly file: string;
  readonly what: "written" | "extended" | "kept";
}

/** Writes a file that is not there; one that is stays as it is. Throws WM_OUTPUT_FAILED. */
export function writeNew(file: string, text: string): Written {
  if (existsSync(file)) return { file, what: "kept" };
  return attempt(file, () => {
    mkdirSync(dirname(file), { recursive: true });
    // wx: a file that appears in between is not overwritten either
    writeFileSync(file, text, { flag: "wx" });
    return { file, what: "written" };
  });
}

/** Adds the lines that a file does not have yet, behind what it has. Throws WM_OUTPUT_FAILED. */
export function appendLines(file: string, lines: readonly string[]): Written {
  return attempt(file, () => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : undefined;
    const present = new Set((text ?? "").split(/\r?\n/).map((line) => line.trim().replace(/^\//, "")));
    const missing = lines.filter((line) => !present.has(line));
    if (missing.length === 0) return { file, what: "kept" };
    const newline = text?.includes("\r\n") === true ? "\r\n" : "\n";
    const glue = text === undefined || text === "" || text.endsWith("\n") ? "" : newline;
    writeFileSync(file, `${glue}${missing.join(newline)}${newline}`, { flag: "a" });
    return { file, what: text === undefined ? "written" : "extended" };
  });
}

function attempt(file: string, act: () => Written): Written {
  try {
    return act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `"${file}" cannot be written: ${why}`, { cause });
  }
}
