import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";

/** What `waymark mutate` found out about one version of a scenario, in brief. */
export interface KeptMutation {
  readonly scenario: string;
  readonly markers_sha256: string;
  /** Caught of planted defects; null when nothing could be planted. */
  readonly score: number | null;
  readonly items: readonly KeptItem[];
}

export interface KeptItem {
  readonly kind: "marker" | "rule";
  readonly name: string;
  readonly status: string;
  /** Defects aimed at it that were caught, of those planted that mean something. */
  readonly noticed: number;
  readonly of: number;
}

/** Keeps it beside a database, a file for each version of a scenario; an earlier one is replaced. Throws WM_OUTPUT_FAILED. */
export function saveMutation(db: string, kept: KeptMutation): void {
  const file = fileFor(db, kept.markers_sha256);
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify({ schema: "waymark.mutation/1", ...kept })}\n`);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw waymarkError("WM_OUTPUT_FAILED", `"${file}" cannot be written: ${why}`, { cause });
  }
}

/** What is kept beside a database of that version; undefined when there is nothing, or nothing that can be read. */
export function readMutation(db: string, sha256: string): KeptMutation | undefined {
  const file = fileFor(db, sha256);
  if (!existsSync(file)) return undefined;
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined; // the report says that it was not measured, and `mutate` measures it again
  }
}

function isKept(value: unknown): value is KeptMutation {
  const { schema, items } = (value ?? {}) as { readonly schema?: unknown; readonly items?: unknown };
  return schema === "waymark.mutation/1" && Array.isArray(items) && items.every(isItem);
}

function isItem(value: unknown): value is KeptItem {
  const { kind, name, noticed, of } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof kind === "string" && typeof name === "string" && typeof noticed === "number" && typeof of === "number";
}

function fileFor(db: string, sha256: string): string {
  return join(dirname(db), "mutation", `${sha256.replace(/[^0-9a-f]/g, "")}.json`);
}
