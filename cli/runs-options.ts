import type { OptionSpec } from "./verb.ts";

export const VERDICTS = ["pass", "fail", "inconclusive", "error"] as const;

/** Where runs are, for every verb that looks for them; `runsPlaces` reads it. */
export const RUN_PLACES: Readonly<Record<"dir" | "db", OptionSpec>> = {
  dir: { kind: "text", value: "DIR", describe: "where runs and their database are kept", defaultText: ".waymark" },
  db: { kind: "text", value: "FILE", describe: "database", defaultText: "waymark.db in --dir" },
};

/** The options of everything `waymark runs` does; each says for which words it counts. */
export const RUNS_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  ...RUN_PLACES,
  // list, prune
  scenario: { kind: "list", alias: "s", value: "NAME", describe: "list: only runs of it; start: what to grade with" },
  verdict: { kind: "text", value: "VERDICT", describe: `list, prune: only ${VERDICTS.join(", ")}` },
  failed: { kind: "flag", describe: "list: only runs that failed" },
  last: { kind: "text", value: "N", describe: "list: at most N runs", defaultText: "20" },
  since: { kind: "text", value: "TIME", describe: "list: graded since then: an ISO time, or 10m back from now" },
  batch: { kind: "text", value: "ID", describe: "list: only runs of this batch, or of the latest" },
  variant: { kind: "text", value: "NAME", describe: "list: only runs of it; start: what this run is one of" },
  task: { kind: "text", value: "NAME", describe: "list: only runs of it; start: what the agent was given to do" },
  label: { kind: "list", value: "NAME", describe: "list: only runs that have it; start: hang it on the run" },
  // start, stop
  log: { kind: "text", value: "LOG", describe: "start: what the proxy writes", defaultText: "logs/telemetry" },
  markers: { kind: "text", value: "DIR", describe: "start, stop: folder of scenarios", defaultText: "markers" },
  param: { kind: "list", value: "NAME=VALUE", describe: "start: a scenario's parameter" },
  version: { kind: "list", value: "NAME=VALUE", describe: "start: what the run runs with, such as model=m-7" },
  "self-report": { kind: "text", value: "FILE", describe: "start, stop: where the agent says how it went" },
  steps: { kind: "text", value: "FILE", describe: "start, stop: where the agent logs its steps (NDJSON)" },
  prices: { kind: "text", value: "FILE", describe: "stop: what models cost", defaultText: ".waymark/prices.yaml" },
  idle: {
    kind: "text",
    value: "DURATION",
    describe: "stop: late events are waited for until so long none comes",
    defaultText: "2s",
  },
  settle: { kind: "text", value: "DURATION", describe: "stop: and at most so long", defaultText: "15s" },
  // attach, review, label
  kind: { kind: "text", value: "KIND", describe: "attach: video, screenshot, log, or a word of yours" },
  at: { kind: "text", value: "TIME", describe: "attach: when it was recorded (a video: its beginning), ISO time" },
  note: { kind: "text", value: "TEXT", describe: "review: why" },
  undo: { kind: "flag", describe: "review: take the word back" },
  remove: { kind: "flag", describe: "label: take the labels off" },
  // export, import
  output: {
    kind: "text",
    alias: "o",
    value: "FILE",
    describe: "export: the zip, or with --csv the table (stdout without)",
  },
  csv: { kind: "flag", describe: "export: one table instead of a zip" },
  replace: { kind: "flag", describe: "import: over runs that are here already" },
  "max-size": {
    kind: "text",
    value: "SIZE",
    describe: "import: most bytes it may unpack to",
    defaultText: "100 times its size",
  },
  // prune, rm
  keep: { kind: "text", value: "N", describe: "prune: the newest N of what the other options select stay" },
  "older-than": { kind: "text", value: "DURATION", describe: "prune: only runs that began so long ago, such as 30d" },
  labelled: { kind: "flag", describe: "prune: runs that have a label too" },
  damaged: { kind: "flag", describe: "prune: folders of runs that cannot be read" },
  "dry-run": { kind: "flag", describe: "prune, rm: only say what would go" },
  yes: { kind: "flag", alias: "y", describe: "prune, rm: do not ask" },
};
