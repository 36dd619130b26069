import type { EventsHeader } from "./events-header.ts";

/** One event of a run's log. */
export interface LogLine {
  /** Position among the run's files. */
  readonly file: number;
  /** From 1. */
  readonly line: number;
  /** In the run's time; absent when the event has none. */
  readonly at?: number;
  readonly name: string;
  /** As it stands in the log. */
  readonly text: string;
}

/** The events of an unpacked chunk; control lines, blank and unreadable ones are passed over. */
export function readLogLines(chunk: string, zero: number): readonly LogLine[] {
  const lines = chunk.split("\n");
  const header = JSON.parse(lines[0] ?? "{}") as EventsHeader;
  const found: LogLine[] = [];
  let next = 1;
  for (const [file, { lines: count, numbers }] of header.files.entries()) {
    for (let at = 0; at < count; at++) {
      const event = eventIn(lines[next++] ?? "", zero);
      if (event !== undefined) found.push({ file, line: numbers?.[at] ?? at + 1, ...event });
    }
  }
  return found;
}

interface RecordParts {
  readonly name?: unknown;
  readonly time?: unknown;
  readonly $capture?: { readonly at?: unknown; readonly control?: unknown };
}

function eventIn(text: string, zero: number): Omit<LogLine, "file" | "line"> | undefined {
  if (text.trim() === "") return undefined;
  try {
    const record = JSON.parse(text) as RecordParts | null;
    if (typeof record !== "object" || record === null || record.$capture?.control !== undefined) return undefined;
    const at = Date.parse(String(record.time ?? record.$capture?.at ?? "")) - zero;
    const name = typeof record.name === "string" ? record.name : "(no name)";
    return Number.isFinite(at) ? { name, text, at } : { name, text };
  } catch {
    return undefined; // counted by the grader, which says so beside the verdict
  }
}
