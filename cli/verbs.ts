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
  { name: "grade", describe: "grade logs against scenarios", load: async () => (await import("./grade.ts")).grade },
  {
    name: "explain",
    describe: "why a marker was not found: the nearest events, field test by field test",
    load: async () => (await import("./explain.ts")).explain,
  },
  { name: "check", describe: "validate scenario files", load: async () => (await import("./check.ts")).check },
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
  { name: "runs", describe: "list and show stored runs", load: async () => (await import("./runs.ts")).runs },
  {
    name: "schema",
    describe: "print JSON Schemas: scenario, result, record",
    load: async () => (await import("./schema.ts")).schema,
  },
  {
    name: "help",
    describe: "explain an error code: waymark help WM_LOG_NOT_FOUND",
    load: async () => (await import("./help.ts")).help,
  },
];
