import type { OptionSpec } from "./verb.ts";

export const DEFAULT_LOG = "logs/telemetry";
export const DEFAULT_DB = ".waymark/waymark.db";

/** Options that say which scenarios; `check` has them too. */
export const SCENARIO_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  scenario: {
    kind: "list",
    alias: "s",
    value: "NAME",
    describe: "which scenario; several times for several",
    defaultText: "all in --markers",
  },
  markers: {
    kind: "text",
    value: "DIR",
    describe: "folder of scenarios; the shipped ones come after it",
    defaultText: "markers",
  },
};
