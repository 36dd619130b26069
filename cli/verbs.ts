import type { Verb } from "./verb.ts";

export interface VerbEntry {
  readonly name: string;
  /** One line for the overview. */
  readonly describe: string;
  /** Loads the verb's file only when it is used, so that `grade` starts fast. */
  readonly load: () => Promise<Verb>;
}

/** Every verb, in the order a newcomer needs them. */
export const VERBS: readonly VerbEntry[] = [
  {
    name: "demo",
    describe: "five seeded runs of a bundled app under the proxy, graded and explained; offline",
    load: async () => (await import("./demo.ts")).demo,
  },
  {
    name: "proxy",
    describe: "run the proxy beside the app; its telemetry lands as NDJSON",
    load: async () => (await import("./proxy.ts")).proxy,
  },
  {
    name: "env",
    describe: "print the exports that point a shell's programs at the proxy and its CA",
    load: async () => (await import("./env.ts")).env,
  },
  {
    name: "run",
    describe: "run a command several times under the proxy, grade each run, and say what the runs show",
    load: async () => (await import("./run.ts")).run,
  },
  { name: "grade", describe: "grade logs against scenarios", load: async () => (await import("./grade.ts")).grade },
  {
    name: "explain",
    describe: "why a marker was not found: the nearest events, field test by field test",
    load: async () => (await import("./explain.ts")).explain,
  },
  { name: "check", describe: "validate scenario files", load: async () => (await import("./check.ts")).check },
  { name: "runs", describe: "list and show stored runs", load: async () => (await import("./runs.ts")).runs },
  {
    name: "report",
    describe: "one HTML file about runs, to look at and to send",
    load: async () => (await import("./report.ts")).report,
  },
  {
    name: "compare",
    describe: "two groups of runs with an exact test, or a table of outcomes",
    load: async () => (await import("./compare.ts")).compare,
  },
  {
    name: "regrade",
    describe: "old telemetry, new markers: which verdicts flip",
    load: async () => (await import("./regrade.ts")).regrade,
  },
  {
    name: "changes",
    describe: "what changed between runs: list it, add to it",
    load: async () => (await import("./changes.ts")).changes,
  },
  {
    name: "schema",
    describe: "print JSON Schemas: scenario, result, record, comparison",
    load: async () => (await import("./schema.ts")).schema,
  },
  {
    name: "help",
    describe: "explain an error code: waymark help WM_LOG_NOT_FOUND",
    load: async () => (await import("./help.ts")).help,
  },
];
