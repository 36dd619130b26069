import { type Broadcast, broadcast, type NamedHooks } from "../grader/report/broadcast.ts";
import type { Write } from "../grader/report/reporter.ts";
import { REPORTERS } from "../grader/report/reporters/index.ts";
import { fault, renderFault, waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { guessReporters } from "./reporter-guess.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments } from "./verb.ts";
import { writeWhole } from "./write-whole.ts";

export interface Reporting extends Broadcast {
  /** What reporters write to stdout, by name; those that write files only are not among them. */
  readonly onStdout: readonly string[];
  /** Waits for slow reporters and writes the files; resolves to false when a reporter or a file failed. */
  close(): Promise<boolean>;
}

interface Target {
  readonly name: string;
  /** undefined is stdout. */
  readonly file?: string;
}

/**
 * The reporters a command line asks for: `--json` alone on stdout, else `--reporter`, else a guess (`guessReporters`).
 * Files are written whole at the end, through a temporary neighbour, so that a failure leaves no half file and no empty
 * one. A reporter that fails is named on stderr and stops no other.
 */
export function reportingFor(args: Arguments, terminal: Terminal): Reporting {
  const detail = args.flag("quiet") ? 0 : args.flag("verbose") ? 2 : 1;
  let intact = true;
  const broken = new Set<string>();
  const fail = (name: string, cause: unknown): void => {
    intact = false;
    broken.add(name);
    const why = cause instanceof Error ? cause.message : String(cause);
    terminal.err(`${renderFault(fault("WM_OUTPUT_FAILED", `the reporter ${name} failed: ${why}`))}\n`);
  };
  const files: { name: string; file: string; parts: string[] }[] = [];
  const targets = targetsOf(args, terminal);
  const reportFile = targets.find(({ name, file }) => name === "html" && file !== undefined)?.file;
  const hooks = targets.map(({ name, file }): NamedHooks => {
    const colour = file === undefined && terminal.colour;
    const options = {
      write: writerFor(name, file),
      colour,
      detail,
      env: terminal.env,
      ...(file === undefined ? {} : { file }),
      ...(reportFile === undefined ? {} : { reportFile }),
    } as const;
    return { name: labelOf(name, file), hooks: reporterNamed(name).create(options) };
  });
  function writerFor(name: string, file: string | undefined): Write {
    // With --json stdout holds one document; a reporter without a file that was asked for beside it talks to stderr.
    if (file === undefined) return args.flag("json") && name !== "json" ? terminal.err : terminal.out;
    const parts: string[] = [];
    files.push({ name: labelOf(name, file), file, parts });
    return (text) => void parts.push(text);
  }
  const all = broadcast(hooks, fail);
  return {
    ...all,
    onStdout: targets.flatMap(({ name, file }) => (file === undefined ? [name] : [])),
    close: async () => {
      await all.finish();
      for (const { name, file, parts } of files.filter((one) => !broken.has(one.name))) {
        try {
          writeWhole(file, parts);
        } catch (cause) {
          fail(name, cause);
        }
      }
      return intact;
    },
  };
}

function labelOf(name: string, file: string | undefined): string {
  return file === undefined ? name : `${name}=${file}`;
}

function targetsOf(args: Arguments, terminal: Terminal): readonly Target[] {
  const asked = args
    .list("reporter")
    .flatMap((list) => list.split(","))
    .filter((item) => item !== "");
  const targets = asked.flatMap((item): readonly Target[] => {
    const [name = "", file] = splitOnce(item, "=");
    if (name === "auto") return guessReporters(terminal).map((guess) => ({ name: guess }));
    return [file === undefined ? { name } : { name, file }];
  });
  if (args.flag("json")) {
    return [{ name: "json" }, ...targets.filter(({ name, file }) => file !== undefined || name === "github")];
  }
  return targets.length > 0 ? targets : guessReporters(terminal).map((name) => ({ name }));
}

function reporterNamed(name: string) {
  const found = REPORTERS.find((reporter) => reporter.name === name);
  if (found !== undefined) return found;
  const known = ["auto", ...REPORTERS.map((reporter) => reporter.name)];
  throw waymarkError("WM_USAGE", `there is no reporter "${name}"${didYouMean(name, known)}`, {
    fix: `Known: ${known.join(", ")}.`,
  });
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
