/**
 * Who may import whom; the table of docs/architecture.md. A room is its longest matching prefix. `packages` lists the
 * third-party packages a room owns: each package lives in one room, so that it can be replaced in one room.
 */
export interface Room {
  readonly room: string;
  readonly mayImport: readonly string[];
  readonly packages?: readonly string[];
  /** Packages of another room that this one needs too, because its bodies and answers are made of them. */
  readonly borrows?: readonly string[];
  /** Node's own modules this room may use; absent means any. */
  readonly builtins?: readonly string[];
}

/** A pure room: no sockets, no files, no processes. */
const PURE = ["node:crypto", "node:zlib", "node:buffer", "node:path"];

const PROXY = [
  "proxy/record",
  "certs",
  "proxy/decoders",
  "proxy/pipeline",
  "proxy/formats",
  "proxy/log",
  "proxy/intercept",
];
const READ = ["proxy/record", "grader/read"];
const SCENARIO = [...READ, "grader/scenario"];
const OPERATORS = [...SCENARIO, "grader/operators"];
const MATCH = [...OPERATORS, "grader/match"];
const STORE = [...MATCH, "grader/store"];

export const ROOMS: readonly Room[] = [
  {
    room: "proxy/record",
    mayImport: [],
    // paths into a record are read by both halves, which share no other room
    packages: ["lossless-json", "waymark", "jsonpath-plus", "re2js"],
  },
  { room: "certs", mayImport: ["proxy/record"], packages: ["@peculiar/x509", "reflect-metadata"] },
  { room: "proxy/decoders", mayImport: ["proxy/record", "proxy/decoders"], builtins: PURE },
  {
    room: "proxy/pipeline",
    mayImport: ["proxy/record", "proxy/decoders", "proxy/pipeline"],
    packages: ["fzstd"],
    builtins: PURE,
  },
  {
    room: "proxy/formats",
    mayImport: ["proxy/record", "proxy/decoders", "proxy/pipeline", "proxy/formats"],
    // the halves of waymark share no room but proxy/record, and both read YAML
    packages: ["yaml", "zod", "re2js"],
  },
  { room: "proxy/log", mayImport: ["proxy/record", "proxy/log"] },
  { room: "proxy/intercept", mayImport: PROXY, packages: ["http-mitm-proxy"] },
  { room: "proxy/launch", mayImport: ["proxy/record", "certs", "proxy/launch"] },
  { room: "proxy", mayImport: [...PROXY, "proxy"] },
  { room: "grader/read", mayImport: READ, packages: ["tinyglobby"] },
  { room: "grader/scenario", mayImport: SCENARIO, packages: ["yaml", "zod"] },
  { room: "grader/operators", mayImport: OPERATORS, packages: ["re2js"], builtins: PURE },
  { room: "grader/match", mayImport: MATCH, builtins: PURE },
  { room: "grader/store", mayImport: [...STORE, "grader/verdict.ts"], packages: ["better-sqlite3"] },
  { room: "grader/statistics", mayImport: ["grader/statistics"], builtins: [] },
  { room: "grader/verdict.ts", mayImport: ["grader/match"] },
  {
    room: "grader/watch",
    mayImport: ["proxy/record", "grader/scenario", "grader/match", "grader", "grader/report", "grader/watch"],
    builtins: PURE,
  },
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
      "grader/watch",
    ],
    packages: ["preact", "yazl"],
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
    packages: ["ws", "yauzl", "yazl"],
  },
  {
    room: "grader/evaluator",
    mayImport: [
      ...STORE,
      "grader/statistics",
      "grader/trials",
      "grader/trials/batch.ts",
      "grader/verdict.ts",
      "grader",
      "grader/watch",
      "grader/report",
      "grader/report/page",
      "grader/evaluator",
    ],
    packages: ["hono", "@hono/node-server"],
    borrows: ["zod"],
  },
  {
    room: "grader/learn",
    mayImport: [...MATCH, "grader/statistics", "grader/verdict.ts", "grader", "grader/trials", "grader/learn"],
    // optional: reads screenshots; learning goes on without it
    packages: ["sharp"],
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
      "grader/watch",
      "grader/verdict.ts",
      "grader/statistics",
      "grader/trials",
      "grader/trials/batch.ts",
      "grader/evaluator",
      "grader/learn",
      ...PROXY,
      ...STORE,
      "proxy/launch",
    ],
    packages: ["yargs"],
  },
  {
    room: "client",
    mayImport: ["client", "grader/trials", "grader/trials/batch.ts", "grader/verdict.ts"],
    builtins: [],
  },
  {
    room: "playwright",
    mayImport: ["playwright", "proxy", "certs", "grader", "grader/evaluator", "grader/verdict.ts", ...PROXY, ...STORE],
    packages: ["@playwright/test"],
  },
  { room: "examples", mayImport: ["examples"] },
];
