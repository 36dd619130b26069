import * as z from "zod";
import { DURATION } from "./duration.ts";

/** What each kind of value is called in messages; the codes of wrong ones are chosen by these words. */
export const A_DURATION = "a duration with a unit, such as 5s or 500ms";
export const A_PATTERN = "a pattern (a name, a map of field tests, or a list of them)";
export const A_PATH = "a field path as text, such as data.user.id";
export const PATHS = "a field path or a list of field paths";
export const A_FLAG = "true or false";

export const text = z.string({ error: "text" });
export const flag = z.boolean({ error: A_FLAG });
export const duration = z.string({ error: A_DURATION }).regex(DURATION, { error: A_DURATION });
export const path = z.string({ error: A_PATH });
export const paths = z.union([path, z.array(path, { error: PATHS }).min(1, { error: PATHS })], { error: PATHS });
export const atLeastOne = whole(1);
export const atLeastNone = whole(0);
export const amount = z.number({ error: "a number" }).min(0, { error: "a number that is not negative" });
export const captures = z
  .record(z.string(), path, { error: "a map from variable names to field paths" })
  .describe("Values to remember: variable name to field path. Used later as $name.");
/** Any value; a field test's value is read by the loader, which knows its modifiers. */
export const anything = z.unknown();

/** A whole number that is not below `least`. */
export function whole(least: number) {
  const error = `a whole number from ${least} on`;
  return z.int({ error }).min(least, { error });
}

/** A map that has these keys and no others; an unknown key's issue carries the known ones as its message. */
export function closed<Shape extends z.core.$ZodLooseShape>(what: string, shape: Shape) {
  const known = Object.keys(shape).join(" ");
  return z.strictObject(shape, { error: (issue) => (issue.code === "unrecognized_keys" ? known : what) });
}
