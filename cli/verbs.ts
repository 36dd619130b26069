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
    name: "init",
    describe: "start a project: a configuration, an example scenario, .gitignore lines, a CI workflow",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "doctor",
    describe: "check what waymark needs; with --app, what of an app can be read",
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "proxy",
    describe: "run the proxy beside the app; its telemetry lands as NDJSON",
    load: async () => (await import("./proxy.ts")).proxy,
  },
  {
    name: "open",
    describe: "open a browser, an Electron app or a shell under the proxy, with a fresh profile",
    load: async () => (await import("./open.ts")).open,
  },
  {
    name: "env",
    describe: "print the exports that point a shell's programs at the proxy and its CA",
    load: async () => (await import("./env.ts")).env,
  },
  {
    name: "ca",
    describe: "the certificate authority: show, path, trust, untrust, rotate",
    load: async () => (await import("./ca.ts")).ca,
  },
  {
    name: "events",
    describe: "look into a capture: tail, query, stats, with the field tests of markers",
    load: async () => (await import("./events.ts")).events,
  },
  {
    name: "learn",
    describe: "a scenario from two to ten good runs, with the reason of each marker",
    load: async () => (await import("./learn.ts")).learn,
  },
  {
    name: "mutate",
    describe: "plant defects into passing runs: does the scenario notice, can each marker fail",
    load: async () => (await import("./mutate.ts")).mutate,
  },
  { name: "check", describe: "validate scenario files", load: async () => (await import("./check.ts")).check },
  {
    name: "explain",
    describe: "why a marker was not found: the nearest events, field test by field test",
    load: async () => (await import("./explain.ts")).explain,
  },
  {
    name: "run",
    describe: "run a command several times under the proxy, grade each run, and say what the runs show",
    load: async () => (await import("./run.ts")).run,
  },
  { name: "grade", describe: "grade logs against scenarios", load: async () => (await import("./grade.ts")).grade },
  {
    name: "watch",
    describe: "markers light up live as telemetry arrives",
    load: async () => (await import("./watch.ts")).watch,
  },
  {
    name: "regrade",
    describe: "old telemetry, new markers: which verdicts flip",
    load: async () => (await import("./regrade.ts")).regrade,
  },
  {
    name: "runs",
    describe: "stored runs: list, show, start, stop, attach, review, label, export, import, prune",
    load: async () => (await import("./runs.ts")).runs,
  },
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
    name: "changes",
    describe: "what changed between runs: list it, add to it",
    load: async () => (await import("./changes.ts")).changes,
  },
  {
    name: "serve",
    describe: "run the evaluator server: harnesses grade over HTTP",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "config",
    describe: "show every option's value and where it came from; say which configuration is used",
    load: async () => (await import("./config.ts")).config,
  },
  {
    name: "completion",
    describe: "complete words in bash, zsh, fish and PowerShell",
    load: async () => (await import("./completion.ts")).completion,
  },
  {
    name: "schema",
    describe: "print JSON Schemas: of scenarios, the configuration, log lines and all --json documents",
    load: async () => (await import("./schema.ts")).schema,
  },
  {
    name: "help",
    describe: "explain an error code: waymark help WM_LOG_NOT_FOUND",
    load: async () => (await import("./help.ts")).help,
  },
];
