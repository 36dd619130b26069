import { readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type FileFacts, identityOf, type OpenFile, openFile } from "./open-file.ts";

/** A file that was written after the one that had its name. */
export interface Successor {
  readonly file: string;
  readonly handle: OpenFile;
  readonly facts: FileFacts;
}

/**
 * What was written under a name since the file that `last` tells of: files that were renamed away meanwhile, by their
 * birth, then the one that has the name now, all of them open. Empty while the name leads to that same file, or to none. The
 * live file is opened before the folder is looked at, so that a rotation in between cannot hide one.
 */
export async function successorsOf(file: string, last: FileFacts): Promise<readonly Successor[]> {
  const live = await tryToOpen(file);
  if (live === undefined) return [];
  if (identityOf(live.facts) === identityOf(last)) {
    await live.handle.close();
    return [];
  }
  return [...(await renamedBetween(file, last, live.facts)), live];
}

async function renamedBetween(file: string, last: FileFacts, live: FileFacts): Promise<Successor[]> {
  const found = new Map<string, Successor>();
  for (const name of await readdir(dirname(file))) {
    if (!isRotated(name, basename(file))) continue;
    const other = await tryToOpen(join(dirname(file), name));
    if (other === undefined) continue;
    const { birthtimeMs } = other.facts;
    const key = identityOf(other.facts);
    const isBetween = birthtimeMs > last.birthtimeMs && birthtimeMs <= live.birthtimeMs;
    if (isBetween && !found.has(key) && key !== identityOf(last) && key !== identityOf(live)) found.set(key, other);
    else await other.handle.close();
  }
  return [...found.values()].sort((a, b) => a.facts.birthtimeMs - b.facts.birthtimeMs);
}

/** Whether this is a name that a rotation gives: `app.log.1`, `app.log-20260101`, `app-3.log`; what was packed is none. */
function isRotated(name: string, live: string): boolean {
  const end = extname(live);
  const stem = live.slice(0, live.length - end.length);
  const mark = /^[._-][0-9][0-9T:._-]*$/;
  if (name.startsWith(live)) return mark.test(name.slice(live.length));
  return name.startsWith(stem) && name.endsWith(end) && mark.test(name.slice(stem.length, name.length - end.length));
}

/** A pipe of such a name would wait for its writer for ever; folders have no lines. */
async function tryToOpen(file: string): Promise<Successor | undefined> {
  const isFile = await stat(file).then(
    (facts) => facts.isFile(),
    () => false,
  );
  const handle = isFile ? await openFile(file).catch(() => undefined) : undefined;
  if (handle === undefined) return undefined;
  return { file, handle, facts: await handle.stat() };
}
