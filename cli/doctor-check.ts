import { WaymarkError } from "../proxy/record/fault.ts";

/** One thing that has to be right, as it was found. */
export interface Check {
  readonly name: string;
  readonly level: "good" | "unsure" | "bad";
  readonly says: string;
  /** One command or step that mends it. */
  readonly fix?: string;
  /** Mends it here and now, where that is safe; says what was done. */
  readonly mend?: () => Promise<string>;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: number;
  /** Ports that waymark would take. */
  readonly ports: readonly number[];
  /** What `--config` and `--profile` say. */
  readonly config?: string | undefined;
  readonly profile?: string | undefined;
}

export function good(name: string, says: string): Check {
  return { name, level: "good", says };
}

export function bad(name: string, says: string, fix: string): Check {
  return { name, level: "bad", says, fix };
}

export function unsure(name: string, says: string, fix?: string): Check {
  return { name, level: "unsure", says, ...(fix === undefined ? {} : { fix }) };
}

/** The first line of what went wrong. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof WaymarkError) return cause.faults[0]?.message ?? cause.message;
  return cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : String(cause);
}
