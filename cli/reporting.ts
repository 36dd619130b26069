import { closeSync, openSync, writeSync } from "node:fs";
import { type Broadcast, broadcast, type NamedHooks } from "../grader/report/broadcast.ts";
import type { Write } from "../grader/report/reporter.ts";
import { REPORTERS } from "../grader/report/reporters/index.ts";
import { fault, renderFault, waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";

export interface Reporting extends Broadcast {
  /** Writes the files; resolves to false when a reporter failed or a file could not be written. */
  close(): boolean;
}

interface Target {
  readonly name: string;
  /** undefined is stdout. */
  readonly file?: string;
}

/**
 * The reporters a command line asks for: `--json` alone on stdout, else `--reporter`, else pretty on a terminal and plain
 * elsewhere. Files are written whole at the end, through a temporary neighbour, so that a failure leaves no half file.
 */
export function reportingFor(args: Arguments, terminal: Terminal): Reporting {
  const detail = args.flag("quiet") ? 0 : args.flag("verbose") ? 2 : 1;
  let intact = true;
  const fail = (name: string, cause: unknown): void => {
    intact = false;
    const why = cause instanceof Error ? cause.message : String(cause);
    terminal.err(`${renderFault(fault("WM_OUTPUT_FAILED", `the reporter ${name} failed: ${why}`))}\n`);
  };
  const files: { target: Target; parts: string[] }[] = [];
  const hooks = targetsOf(args, terminal).map((target): NamedHooks => {
    const colour = target.file === undefined && terminal.colour;
    return {
      name: target.name,
      hooks: reporterNamed(target.name).create({ write: writerFor(target), colour, detail }),
    };
  });
  function writerFor(target: Target): Write {
    if (target.file === undefined) return terminal.out;
    const parts: string[] = [];
    files.push({ target, parts });
    return (text) => void parts.push(text);
  }
  return {
    ...broadcast(hooks, fail),
    close: () => {
      for (const { target, parts } of files) {
        try {
          writeWhole(target.file ?? "", parts.join(""));
        } catch (cause) {
          fail(`${target.name}=${target.file}`, cause);
        }
      }
      return intact;
    },
  };
}

function targetsOf(args: Arguments, terminal: Terminal): readonly Target[] {
  const asked = args
    .list("reporter")
    .flatMap((list) => list.split(","))
    .filter((item) => item !== "");
  const targets = asked.map((item): Target => {
    const [name = "", file] = splitOnce(item, "=");
    return file === undefined ? { name } : { name, file };
  });
  if (args.flag("json")) return [{ name: "json" }, ...targets.filter(({ file }) => file !== undefined)];
  return targets.length > 0 ? targets : [{ name: terminal.outIsTerminal ? "pretty" : "plain" }];
}

function reporterNamed(name: string) {
  const found = REPORTERS.find((reporter) => reporter.name === name);
  if (found !== undefined) return found;
  const known = REPORTERS.map((reporter) => reporter.name);
  throw waymarkError("WM_USAGE", `there is no reporter "${name}"${didYouMean(name, known)}`, {
    fix: `Known: ${known.join(", ")}.`,
  });
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function writeWhole(file: string, text: string): void {
  const descriptor = openSync(file, "w");
  try {
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
  } finally {
    closeSync(descriptor);
  }
}
