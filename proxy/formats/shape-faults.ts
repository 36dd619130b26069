import type * as z from "zod";
import type { Fault } from "../record/fault.ts";
import { didYouMean } from "../record/near.ts";
import type { FormatText } from "./format-text.ts";

type Issue = z.core.$ZodIssue;

/** What an issue of the schema says, in words and with its place. */
export function shapeFaults(issue: Issue, before: readonly PropertyKey[], source: FormatText): Fault[] {
  const path = [...before, ...issue.path];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => unknownKey(key, issue.message, { path, source }));
  if (issue.code === "invalid_union") {
    const meant = issue.errors.find(
      (issues) => !issues.some((each) => each.code === "invalid_type" && each.path.length === 0),
    );
    if (meant?.some(({ path: deeper }) => deeper.length > 0)) {
      return meant.flatMap((each) => shapeFaults(each, path, source));
    }
    const unknown = meant?.filter(({ code }) => code === "unrecognized_keys") ?? [];
    if (unknown.length > 0) return unknown.flatMap((each) => shapeFaults(each, path, source));
  }
  return [wrongValue(issue.message, path, source)];
}

interface Located {
  readonly path: readonly PropertyKey[];
  readonly source: FormatText;
}

function unknownKey(key: string, known: string, { path, source }: Located): Fault {
  const names = known.split(" ");
  const message = `unknown key "${key}"${didYouMean(key, names)}`;
  return source.faultAt(message, path, { key, fix: `Known here: ${names.join(", ")}.` });
}

function wrongValue(expected: string, path: readonly PropertyKey[], source: FormatText): Fault {
  const key = String(path.at(-1) ?? "");
  const holder = path.slice(0, -1).reduce<unknown>(memberOf, source.plain);
  const isMissing =
    path.length > 0 && typeof holder === "object" && holder !== null && !Array.isArray(holder) && !(key in holder);
  if (isMissing) {
    const fix = key === "waymark" ? "Write `waymark: 1` as the first key." : `Add ${key}: ${expected}.`;
    return source.faultAt(`the key "${key}" is missing`, path.slice(0, -1), { fix });
  }
  const what =
    path.length === 0 ? "the file" : typeof path.at(-1) === "number" ? `item ${Number(key) + 1}` : `"${key}"`;
  return source.faultAt(`${what} has to be ${expected}`, path);
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
}
