import type * as z from "zod";
import { didYouMean } from "../../proxy/record/near.ts";
import { pointerTo, Refusal } from "./refusal.ts";

/** Checks a body against its schema. Throws a 400 with a JSON pointer to the first thing that is wrong. */
export function checkBody<T>(schema: z.ZodType<T>, value: unknown, at: readonly PropertyKey[] = []): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw new Refusal(400, "WM_SERVE_BODY", "the body does not fit", { pointer: "" });
  if (issue.code === "unrecognized_keys") throw unknownKey(schema, issue, at);
  const path = [...at, ...issue.path];
  throw new Refusal(400, "WM_SERVE_BODY", `${place(path)}: ${issue.message}`, { pointer: pointerTo(path) });
}

function unknownKey(
  schema: z.ZodType,
  issue: { keys: string[]; path: PropertyKey[] },
  at: readonly PropertyKey[],
): Refusal {
  const [key = ""] = issue.keys;
  const path = [...at, ...issue.path, key];
  const known = issue.path.length === 0 && "shape" in schema ? Object.keys(schema.shape as object) : [];
  const details = { pointer: pointerTo(path), ...(known.length === 0 ? {} : { known }) };
  return new Refusal(400, "WM_SERVE_BODY", `${place(path)}: unknown key${didYouMean(key, known)}`, details);
}

function place(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the body" : pointerTo(path);
}
