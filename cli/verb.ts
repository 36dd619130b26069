import type { Terminal } from "./terminal.ts";

/** One option of a verb. All values arrive as text; the verb reads numbers, sizes and durations itself. */
export interface OptionSpec {
  readonly kind: "text" | "list" | "flag";
  readonly describe: string;
  readonly alias?: string;
  /** Shown in the help; the verb applies it itself. */
  readonly defaultText?: string;
  /** What stands for the value in the help, such as FILE. */
  readonly value?: string;
}

/** The words of one command line, checked: every option known, flags true or false, texts and lists as written. */
export interface Arguments {
  readonly positionals: readonly string[];
  /** What stood behind `--`, untouched. */
  readonly command: readonly string[];
  /** The same, or where nothing stood there the configuration's command; empty when there is neither. */
  usualCommand(): readonly string[];
  /** Whether an option stands on the command line itself; one from the environment or the configuration gives way to it. */
  isGiven(name: string): boolean;
  text(name: string): string | undefined;
  list(name: string): readonly string[];
  flag(name: string): boolean | undefined;
}

/** One verb of the command line: one file beside this one, one line in verbs.ts. No logic, only the joining of rooms. */
export interface Verb {
  readonly name: string;
  /** Such as `grade [LOG..]`. */
  readonly usage: string;
  readonly describe: string;
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** At most this many positionals; absent for any number. */
  readonly maxPositionals?: number;
  readonly takesCommand?: boolean;
  /** For verbs that have to work where the configuration is broken, or not there yet: always, or only then. */
  readonly ignoresConfig?: true | "when broken";
  readonly examples?: readonly (readonly [command: string, says: string])[];
  /** Runs it and resolves with the exit code; a WaymarkError it throws is shown and gives its own code. */
  run(args: Arguments, terminal: Terminal): Promise<number>;
}

/** Options that mean the same in every verb. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  json: { kind: "flag", describe: "one JSON document on stdout, all else on stderr" },
  reporter: {
    kind: "list",
    value: "LIST",
    describe:
      "auto, pretty, plain, agent, json, ndjson, junit, github, markdown, html, tap; several with commas, each may be NAME=FILE",
  },
  quiet: { kind: "flag", alias: "q", describe: "only what decides" },
  verbose: { kind: "flag", alias: "v", describe: "more detail" },
  config: {
    kind: "text",
    alias: "c",
    value: "FILE",
    describe: "the configuration",
    defaultText: "the nearest waymark.config.yaml",
  },
  profile: { kind: "text", value: "NAME", describe: "settings of this profile of the configuration" },
};
