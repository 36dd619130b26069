import { existsSync } from "node:fs";
import { asText } from "../grader/report/text.ts";
import type { Change, Store } from "../grader/store/store.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { runsPlaces } from "./runs-open.ts";
import { RUN_PLACES } from "./runs-options.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

const ADD_OPTIONS = ["element", "kind", "size", "hash", "note", "at"] as const;

export const changes: Verb = {
  name: "changes",
  usage: "changes list | changes add --element NAME",
  describe:
    "The ledger of what changed between runs and cannot be found out afterwards: versions that runs ran with are kept by themselves, everything else is added here, events from outside too. Rows are never changed or removed.",
  options: {
    ...RUN_PLACES,
    element: { kind: "text", value: "NAME", describe: "what changed: app, model, prompt, network..." },
    kind: { kind: "text", value: "KIND", describe: "how: version, content, outside...", defaultText: "outside" },
    size: { kind: "text", value: "N", describe: "how much, in whatever unit suits it: lines, bytes, a share" },
    hash: { kind: "text", value: "HASH", describe: "hash or version of the new state" },
    note: { kind: "text", value: "TEXT", describe: "what happened" },
    at: { kind: "text", value: "TIME", describe: "when, as an ISO time", defaultText: "now" },
  },
  maxPositionals: 1,
  examples: [
    ["waymark changes", "what changed, oldest first"],
    ['waymark changes add --element model --note "the provider moved the alias to a new build"', "from outside"],
  ],
  async run(args, terminal) {
    const [action = "list"] = args.positionals;
    if (action !== "list" && action !== "add") {
      throw waymarkError("WM_USAGE", `waymark changes knows list and add, not "${action}"`);
    }
    const file = runsPlaces(args).db;
    if (action === "add") return withStore(file, {}, (store) => add(store, args, terminal));
    const stray = ADD_OPTIONS.find((name) => args.text(name) !== undefined);
    if (stray !== undefined) throw waymarkError("WM_USAGE", `--${stray} belongs to waymark changes add`);
    if (!existsSync(file)) {
      throw waymarkError("WM_RUN_NOT_FOUND", `there is no database "${file}"; nothing was graded here yet`);
    }
    return withStore(file, { readonly: true }, (store) => list(store, args, terminal));
  },
};

async function withStore(
  file: string,
  options: { readonly readonly?: boolean },
  action: (store: Store) => number,
): Promise<number> {
  const { openStore } = await import("../grader/store/store.ts");
  const store = openStore(file, options);
  try {
    return action(store);
  } finally {
    store.close();
  }
}

function add(store: Store, args: Arguments, terminal: Terminal): number {
  const change = changeOf(args);
  const seq = store.addChange(change);
  if (args.flag("json"))
    terminal.out(`${JSON.stringify({ schema: "waymark.change/1", change: { seq, ...change } })}\n`);
  else terminal.out(`kept as change ${seq} in ${store.file}\n`);
  return 0;
}

function changeOf(args: Arguments): Change {
  const element = args.text("element")?.trim() ?? "";
  if (element === "") throw waymarkError("WM_USAGE", "waymark changes add needs --element, the name of what changed");
  const [hash, note, size] = [args.text("hash"), args.text("note"), args.text("size")];
  return {
    at: timeOf(args.text("at")),
    element,
    kind: args.text("kind") ?? "outside",
    ...(size === undefined ? {} : { size: sizeOf(size) }),
    ...(hash === undefined ? {} : { hash }),
    ...(note === undefined ? {} : { note }),
  };
}

function sizeOf(text: string): number {
  const value = /^[0-9]{1,15}(?:\.[0-9]{1,15})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) {
    throw waymarkError("WM_USAGE_NOT_A_NUMBER", `--size got "${text}"; it takes a number such as 12 or 0.25`);
  }
  return value;
}

function timeOf(text: string | undefined): string {
  if (text === undefined) return new Date().toISOString();
  const time = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) {
    throw waymarkError("WM_USAGE", `--at got "${text}", which is no ISO time`, {
      fix: "Write it like 2026-01-31T12:00:00Z.",
    });
  }
  return new Date(time).toISOString();
}

function list(store: Store, args: Arguments, terminal: Terminal): number {
  const found = store.listChanges();
  if (args.flag("json")) {
    terminal.out(`${JSON.stringify({ schema: "waymark.changes/1", changes: found })}\n`);
    return 0;
  }
  const header = ["seq", "at (UTC)", "element", "kind", "size", "to", "note"];
  const rows = found.map(({ seq, at, element, kind, size, hash, note }) =>
    [
      String(seq),
      at.slice(0, 19).replace("T", " "),
      element,
      kind,
      size === undefined ? "" : String(size),
      shortened(hash),
      note ?? "",
    ].map(asText),
  );
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [header, ...rows]) {
    terminal.out(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  }
  if (found.length === 0) terminal.out("nothing has changed between runs\n");
  return 0;
}

/** Hashes are told apart by their beginning; `--json` has them whole. */
function shortened(hash = ""): string {
  return hash.replace(/[0-9a-f]{40,}/, (digits) => digits.slice(0, 12));
}
