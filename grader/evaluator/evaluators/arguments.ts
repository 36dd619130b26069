import * as z from "zod";
import { parseDuration } from "../duration.ts";

/** Longest path any system takes, with room. */
const MOST_PATH = 4096;

/** A path; relative ones start at the server's root, else its folder. */
export const pathText = z
  .string()
  .min(1)
  .max(MOST_PATH)
  .refine((path) => !path.includes("\0"), { error: "a path holds no NUL character" })
  .describe("A path, written for POSIX or for Windows.");

/** The name of a file in a folder. */
export const fileNameText = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => !name.includes("\0"), { error: "a name holds no NUL character" });

/** A duration with its unit. */
export const durationText = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h|d)$/, { error: "a duration with a unit, such as 500ms, 10s or 2m" })
  .describe("A duration with its unit: 500ms, 10s, 2m.");

/** Field tests of the scenario language: keys are paths, perhaps with modifiers. */
export const whereTests = z
  .record(z.string(), z.unknown())
  .describe(
    "Field tests as in a scenario's `where`: path, perhaps with modifiers such as `|gte`, to the wanted value.",
  );

export const wholeCount = z.number().int().min(0);

/** ISO time or a duration back from now, in milliseconds since 1970; undefined when it is neither. */
export function momentMs(text: string, nowMs: number): number | undefined {
  const back = parseDuration(text);
  const isTime = /^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(text);
  const at = back !== undefined ? nowMs - back : isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(new Date(at).getTime()) ? undefined : at; // beyond what a date can be, too
}
