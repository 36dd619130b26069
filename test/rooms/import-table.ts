/**
 * Who may import whom; the table of docs/architecture.md. A room is its longest matching prefix. `packages` lists the
 * third-party packages a room owns: each package lives in one room, so that it can be replaced in one room.
 */
export interface Room {
  readonly room: string;
  readonly mayImport: readonly string[];
  readonly packages?: readonly string[];
  /** Node's own modules this room may use; absent means any. */
  readonly builtins?: readonly string[];
}

/** A pure room: no sockets, no files, no processes. */
const PURE = ["node:crypto", "node:zlib", "node:buffer", "node:path"];

const PROXY = ["proxy/record", "certs", "proxy/decoders", "proxy/pipeline", "proxy/log", "proxy/intercept"];
const READ = ["proxy/record", "grader/read"];
const SCENARIO = [...READ, "grader/scenario"];
const OPERATORS = [...SCENARIO, "grader/operators"];
const MATCH = [...OPERATORS, "grader/match"];
const STORE = [...MATCH, "grader/store"];

export const ROOMS: readonly Room[] = [
  { room: "proxy/record", mayImport: [], packages: ["lossless-json", "waymark"] },
  { room: "certs", mayImport: ["proxy/record"], packages: ["@peculiar/x509", "reflect-metadata"] },
  { room: "proxy/decoders", mayImport: ["proxy/record", "proxy/decoders"], builtins: PURE },
  {
    room: "proxy/pipeline",
    mayImport: ["proxy/record", "proxy/decoders", "proxy/pipeline"],
    packages: ["fzstd"],
    builtins: PURE,
  },
  { room: "proxy/log", mayImport: ["proxy/record", "proxy/log"] },
  { room: "proxy/intercept", mayImport: PROXY, packages: ["http-mitm-proxy"] },
  { room: "proxy/launch", mayImport: ["proxy/record", "certs", "proxy/launch"] },
  { room: "proxy", mayImport: [...PROXY, "proxy"] },
  { room: "grader/read", mayImport: READ, packages: ["ndjson", "split2", "tinyglobby"] },
  { room: "grader/scenario", mayImport: SCENARIO, packages: ["yaml", "zod"] },
  { room: "grader/operators", mayImport: OPERATORS, packages: ["jsonpath-plus", "re2js"], builtins: PURE },
  { room: "grader/match", mayImport: MATCH, builtins: PURE },
  { room: "grader/store", mayImport: [...STORE, "grader/verdict.ts"], packages: ["better-sqlite3"] },
  { room: "grader/statistics", mayImport: ["grader/statistics"], builtins: [] },
  { room: "grader/verdict.ts", mayImport: ["grader/match"] },
  { room: "grader/trials/batch.ts", mayImport: ["grader/verdict.ts", "grader/trials"] },
  {
    room: "grader/report",
    mayImport: [
      "proxy/record",
      "grader/verdict.ts",
      "grader/trials/batch.ts",
      "grader/statistics",
      "grader/report",
      // the reporter html, and nothing else
      "grader/report/page",
    ],
  },
  {
    room: "grader/report/page",
    mayImport: [
      "proxy/record",
      "grader/read",
      "grader/scenario",
      "grader",
      "grader/verdict.ts",
      "grader/statistics",
      "grader/store",
      "grader/trials",
      "grader/trials/batch.ts",
      "grader/report",
      "grader/report/page",
    ],
    packages: ["preact"],
  },
  {
    room: "grader/trials",
    mayImport: [
      ...STORE,
      "grader/statistics",
      "grader/verdict.ts",
      "grader",
      "grader/trials",
      "grader/trials/batch.ts",
    ],
  },
  { room: "grader", mayImport: [...STORE, "grader", "grader/verdict.ts"] },
  {
    room: "cli",
    mayImport: [
      "proxy",
      "grader",
      "certs",
      "cli",
      "examples",
      "grader/report",
      "grader/report/page",
      "grader/verdict.ts",
      "grader/statistics",
      "grader/trials",
      "grader/trials/batch.ts",
      ...PROXY,
      ...STORE,
      "proxy/launch",
    ],
    packages: ["yargs"],
  },
  { room: "examples", mayImport: ["examples"] },
];
