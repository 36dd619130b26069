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
