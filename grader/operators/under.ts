import { foldCase } from "../../proxy/record/equality.ts";
import { type JsonValue, stringifyJson } from "../../proxy/record/json.ts";
import type { Operator, OperatorOptions, Parsed } from "./operator.ts";

/** A file path without its detours: where it starts, how many folders above a relative start, the names below. */
interface PlainPath {
  readonly written: string;
  readonly root: string;
  readonly ups: number;
  readonly names: readonly string[];
}

/**
 * `under`: a file path inside a folder, or the folder itself. `.`, `..`, repeated and back slashes are normalised,
 * then whole names are compared. A relative path is under a relative folder only: nobody knows where it starts.
 */
export const under: Operator<PlainPath> = {
  name: "under",
  summary: "A path inside this folder; whole segments, `.` and `..` resolved, both kinds of slash.",
  parse(argument: JsonValue): Parsed<PlainPath> {
    return typeof argument === "string" && argument !== ""
      ? { ok: true, value: plainPath(argument) }
      : { ok: false, why: "a folder's path as text" };
  },
  test(argument: PlainPath, value: JsonValue, { ignoreCase }: OperatorOptions): boolean {
    if (typeof value !== "string" || value === "") return false;
    const path = plainPath(value);
    const isSame = (a: string, b: string) => (ignoreCase ? foldCase(a) === foldCase(b) : a === b);
    if (!isSame(argument.root, path.root) || path.ups > argument.ups) return false;
    if (path.ups < argument.ups) return argument.names.length === 0;
    return argument.names.every((name, index) => isSame(name, path.names[index] ?? ""));
  },
  explain: (argument: PlainPath): string => `be under ${stringifyJson(argument.written)}`,
};

function plainPath(written: string): PlainPath {
  const [, drive = "", rest = ""] = /^([A-Za-z]:)?(.*)$/s.exec(written.replaceAll("\\", "/")) ?? [];
  const root = rest.startsWith("/") ? `${drive}/` : drive;
  const names: string[] = [];
  let ups = 0;
  for (const name of rest.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.pop() === undefined && !root.endsWith("/")) ups += 1;
  }
  return { written, root, ups, names };
}
