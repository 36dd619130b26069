import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { waymarkError } from "../../proxy/record/fault.ts";
import { WAYMARK_VERSION } from "../../proxy/record/version.ts";
import { gitVersion } from "./versions-git.ts";

export interface VersionSources {
  /** As given with `--version`: `app=1.4.2`, `prompt=@prompt.md`. */
  readonly flags: readonly string[];
  /** The folder that files are looked for in, and whose git commit counts. */
  readonly cwd: string;
  /** The scenarios that grade the run. */
  readonly scenarios?: readonly { readonly id: string; readonly sha256: string }[];
}

/** What may name an element; `=` ends it. */
const ELEMENT = /^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]{0,99}$/u;
const MAX_VERSION = 500;

/**
 * What a run runs with, by element: what `--version` says (a value `@FILE` is the hash of that file), `git` (the commit,
 * with `+dirty` when tracked files differ from it), `waymark`, and `scenario:NAME` with its hash. What nobody can tell is
 * absent; what the user says wins. Throws `WM_USAGE_VERSION` on a flag that is no element=version.
 */
export async function versionsOf(sources: VersionSources): Promise<Readonly<Record<string, string>>> {
  const { flags, cwd, scenarios = [] } = sources;
  const given = flags.map((flag) => readFlag(flag, cwd));
  const git = await gitVersion(cwd);
  return Object.fromEntries([
    ["waymark", WAYMARK_VERSION],
    ...(git === undefined ? [] : [["git", git]]),
    ...scenarios.map(({ id, sha256 }) => [`scenario:${id}`, `sha256:${sha256}`]),
    ...given,
  ]);
}

function readFlag(flag: string, cwd: string): readonly [element: string, version: string] {
  const at = flag.indexOf("=");
  const [element, version] = [flag.slice(0, Math.max(0, at)), flag.slice(at + 1)];
  if (!ELEMENT.test(element) || version === "" || version.length > MAX_VERSION) {
    throw waymarkError("WM_USAGE_VERSION", `--version got "${flag}", which is no element=version`);
  }
  return [element, version.startsWith("@") ? hashOf(resolve(cwd, version.slice(1)), flag) : version];
}

function hashOf(file: string, flag: string): string {
  try {
    return `sha256:${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
  } catch (cause) {
    throw waymarkError("WM_USAGE_VERSION", `--version got "${flag}", but the file cannot be read`, { cause });
  }
}
