import { createHash } from "node:crypto";
import { createReadStream, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { JsonObject } from "../../../proxy/record/json.ts";
import { re } from "../../operators/re.ts";
import { OutsideRoot } from "../locator.ts";
import { fileNameText, momentMs, pathText } from "./arguments.ts";
import { type Evaluator, type Seen, type Surroundings, seen, unseen } from "./evaluator.ts";
import { type FoundNames, walkNames, wrongPattern } from "./walk-names.ts";

/** Bytes of a file that `contains` and `matches` look at; larger files are an error, never a guess. */
const MOST_TEXT = 16_777_216;
const MOST_MATCHED = 1_048_576;
/** Files a glob may name. */
const MOST_FILES = 10_000;

const schema = z.strictObject({
  path: pathText,
  file_name: fileNameText.optional().describe("A name in the folder `path`."),
  glob: z
    .string()
    .min(1)
    .max(1024)
    .refine((pattern) => wrongPattern(pattern) === undefined, {
      error: ({ input }) => `no pattern of names: ${wrongPattern(String(input))}`,
    })
    .optional()
    .describe("Names below the folder `path`, such as *.docx or **/*.log (*, ? and **); one that passes is enough."),
  exists: z.boolean().default(true).describe("false: it must not be there."),
  contains: z.string().min(1).optional().describe("Text that the file holds (UTF-8)."),
  matches: z.string().min(1).optional().describe("A regular expression (RE2 syntax) found in the file."),
  sha256: z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, { error: "64 hexadecimal digits" })
    .optional(),
  newer_than: z.string().optional().describe("Changed since then: an ISO time, or a duration back from now."),
});

type Args = z.infer<typeof schema>;

/** `file_exists`: a file or folder is there and, where asked, its content and its time are right. */
export const fileExists: Evaluator<Args> = {
  name: "file_exists",
  summary: "A file or folder is there; where asked, with this content, this hash, or changed since a time.",
  schema,
  example: { path: ".", file_name: "report.docx" },
  paths: ({ path, file_name }) => [
    { key: "path", path },
    ...(file_name === undefined ? [] : [{ key: "file_name", path: joined(path, file_name) }]),
  ],
  async look(args, surroundings) {
    const wrong = wrongArgument(args, surroundings);
    if (wrong !== undefined) return unseen("WM_SERVE_BODY", wrong);
    const place = surroundings.locator.locate(wanted(args, surroundings));
    if (place.kind === "elsewhere") return judge(args, { exists: false, why: place.why });
    const named = args.glob === undefined ? undefined : await matching(place.path, args.glob, surroundings);
    let nearest: Found = { exists: false, why: `${shown(args, surroundings)} does not exist` };
    if (named?.kind === "too many")
      return unseen("WM_SERVE_LIMIT", `there is more below ${place.path} than can be looked at`);
    for (const file of named?.paths ?? [place.path]) {
      const found = await lookAt(file, args, surroundings);
      if (found.trouble !== undefined) return unseen(found.trouble.code, found.trouble.message, { exists: true });
      if (found.exists) return judge(args, found);
      nearest = found.why === undefined || found.isThere !== true ? nearest : found;
    }
    return judge(args, nearest);
  },
};

interface Found {
  /** There, and as asked. */
  readonly exists: boolean;
  /** There, but perhaps not as asked. */
  readonly isThere?: boolean;
  readonly why?: string;
  readonly facts?: JsonObject;
  readonly trouble?: { readonly code: string; readonly message: string };
}

function wanted({ path, file_name }: Args, { locator }: Surroundings): string {
  return file_name === undefined ? path : locator.join(path, file_name);
}

function joined(path: string, name: string): string {
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? `${path}\\${name}` : join(path, name);
}

function shown(args: Args, surroundings: Surroundings): string {
  const place = wanted(args, surroundings);
  return args.glob === undefined ? place : `${args.glob} in ${place}`;
}

function judge({ exists }: Args, found: Found): Seen {
  const isThere = found.isThere ?? found.exists;
  const facts = { exists: isThere, ...found.facts };
  const passes = found.exists === exists;
  if (exists) return seen(passes, [`${String(found.facts?.["file"])} exists`, found.why ?? "it does not exist"], facts);
  return seen(
    passes,
    [found.why ?? "it does not exist", `${String(found.facts?.["file"])} exists, and must not`],
    facts,
  );
}

function wrongArgument(args: Args, { now }: Surroundings): string | undefined {
  if (args.newer_than !== undefined && momentMs(args.newer_than, now()) === undefined) {
    return `newer_than: "${args.newer_than}" is neither an ISO time nor a duration such as 5m`;
  }
  if (args.matches === undefined) return undefined;
  const parsed = re.parse(args.matches, { ignoreCase: false });
  return parsed.ok ? undefined : `matches: expected ${parsed.why}`;
}

function matching(folder: string, pattern: string, { signal }: Surroundings): Promise<FoundNames> {
  return walkNames(folder, pattern, {
    most: MOST_FILES,
    ignoreCase: process.platform === "win32",
    ...(signal === undefined ? {} : { signal }),
  });
}

async function lookAt(file: string, args: Args, surroundings: Surroundings): Promise<Found> {
  const path = insideRoot(file, surroundings);
  if (path === undefined) return { exists: false };
  const stats = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (stats instanceof Error) {
    if (["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"].includes(stats.code ?? ""))
      return { exists: false, why: `${path} does not exist` };
    return {
      exists: false,
      trouble: { code: "WM_SERVE_LOOK", message: `${path} cannot be looked at (${stats.code ?? stats.message})` },
    };
  }
  const facts: JsonObject = {
    file: path,
    size: stats.size,
    modified: stats.mtime.toISOString(),
    folder: stats.isDirectory(),
  };
  const since = args.newer_than === undefined ? undefined : momentMs(args.newer_than, surroundings.now());
  if (since !== undefined && stats.mtimeMs < since) {
    return {
      exists: false,
      isThere: true,
      facts,
      why: `${path} was last changed ${stats.mtime.toISOString()}, before ${new Date(since).toISOString()}`,
    };
  }
  return content(path, stats, { args, facts });
}

/** A glob's match may be a link that leads out: then it is not there. */
function insideRoot(file: string, { locator }: Surroundings): string | undefined {
  if (locator.root === undefined) return file;
  try {
    const place = locator.locate(file);
    return place.kind === "here" ? place.path : undefined;
  } catch (error) {
    if (error instanceof OutsideRoot) return undefined;
    throw error;
  }
}

async function content(path: string, stats: Stats, { args, facts }: { args: Args; facts: JsonObject }): Promise<Found> {
  const { contains, matches, sha256 } = args;
  const there: Found = { exists: true, facts };
  if (contains === undefined && matches === undefined && sha256 === undefined) return there;
  const not = (why: string): Found => ({ exists: false, isThere: true, facts, why });
  if (!stats.isFile()) return not(`${path} is no regular file, so it has no content to look at`);
  try {
    const hash = sha256 === undefined ? undefined : await hashOf(path);
    if (hash !== undefined && hash !== sha256?.toLowerCase()) return not(`${path} has the SHA-256 ${hash}`);
    if (contains === undefined && matches === undefined) return there;
    const most = matches === undefined ? MOST_TEXT : MOST_MATCHED;
    const text = await textOf(path, most);
    if (text === undefined)
      return {
        exists: false,
        trouble: { code: "WM_SERVE_LIMIT", message: `${path} is larger than ${most} bytes, too large to be searched` },
      };
    if (contains !== undefined && !text.includes(contains))
      return not(`${path} does not contain ${JSON.stringify(contains)}`);
    if (matches !== undefined && !isFound(matches, text)) return not(`${path} does not match ${matches}`);
    return there;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      exists: false,
      trouble: { code: "WM_SERVE_LOOK", message: `${path} cannot be read (${code ?? message})` },
    };
  }
}

function isFound(source: string, text: string): boolean {
  const parsed = re.parse(source, { ignoreCase: false });
  return parsed.ok && re.test(parsed.value, text, { ignoreCase: false });
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}

/** The text of a file, without a byte order mark; undefined when it is larger than `most` bytes. */
export async function textOf(path: string, most: number): Promise<string | undefined> {
  const handle = await open(path, "r");
  try {
    const parts: Buffer[] = [];
    let size = 0;
    for (;;) {
      const block = Buffer.allocUnsafe(Math.min(most + 1 - size, 1 << 20));
      const { bytesRead } = await handle.read(block, 0, block.length, null);
      if (bytesRead === 0)
        return Buffer.concat(parts)
          .toString("utf8")
          .replace(/^\uFEFF/, "");
      parts.push(block.subarray(0, bytesRead));
      size += bytesRead;
      if (size > most) return undefined;
    }
  } finally {
    await handle.close();
  }
}
