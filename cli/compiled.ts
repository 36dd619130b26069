import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

/**
 * From now on what is compiled is kept for the next start, in the system's folder for temporary files, where Node can do
 * that: from version 22 on. Has to come before what it is for is loaded. `NODE_DISABLE_COMPILE_CACHE=1` switches it off.
 */
export function keepCompiled(): void {
  enableCompileCache?.();
}

const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: () => unknown };

/** A program that was loaded. */
export interface Loaded {
  readonly exports: unknown;
  /** Keeps what has been compiled so far for the next start, where nothing was kept before. */
  keep(): void;
}

/**
 * Loads a CommonJS file. Where Node keeps nothing itself, its compiled functions stand in a file beside it, as Python keeps
 * its `__pycache__`; without it, or where that folder cannot be written to, it is compiled anew. Half of the start of a
 * small grade was compiling. A file that needs ES modules finds `module.loadES`, which is `import`.
 */
export function loadProgram(file: URL): Loaded {
  const path = fileURLToPath(file);
  const require = nodeModule.createRequire(file);
  if (enableCompileCache !== undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) {
    return { exports: require(path), keep: () => {} };
  }
  const source = readFileSync(path);
  const kept = new KeptCode(`${path}.${process.version}-${process.arch}.compiled`, source);
  const script = compile(path, source, kept);
  const module = { exports: {}, loadES: (name: string): Promise<unknown> => import(name) };
  const run = script.runInThisContext() as (...parts: readonly unknown[]) => void;
  run(module.exports, require, module, path);
  return { exports: module.exports, keep: () => kept.keep(script) };
}

function compile(path: string, source: Buffer, kept: KeptCode): Script {
  const cachedData = kept.read();
  const script = new Script(`(function(exports,require,module,__filename){\n${source.toString("utf8")}\n})`, {
    filename: path,
    lineOffset: -1,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  kept.isGood = cachedData !== undefined && script.cachedDataRejected === false;
  return script;
}

/** A digest of what was compiled and of its code stands before the code: V8 itself would take damaged code for good. */
const DIGEST_BYTES = 32;

class KeptCode {
  /** What stands there serves. */
  isGood = false;
  readonly #file: string;
  readonly #source: Buffer;

  constructor(file: string, source: Buffer) {
    this.#file = file;
    this.#source = source;
  }

  /** Undefined where nothing stands, or not what it was made to be. */
  read(): Buffer | undefined {
    const all = readIfThere(this.#file);
    const code = all?.subarray(DIGEST_BYTES);
    return code !== undefined && all?.subarray(0, DIGEST_BYTES).equals(this.#digestWith(code)) ? code : undefined;
  }

  /** Other processes see the old file or the new one, never a part. */
  keep(script: Script): void {
    if (this.isGood) return;
    const code = script.createCachedData();
    const made = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(made, Buffer.concat([this.#digestWith(code), code]));
      renameSync(made, this.#file);
    } catch (error) {
      if (!isSystemError(error)) throw error; // whoever may not write here goes without
      rmSync(made, { force: true });
    }
  }

  /** Of `node:crypto`, which every grade needs anyway; `node:zlib` and its checksum take 5 ms to load. */
  #digestWith(code: Buffer): Buffer {
    return createHash("sha256").update(this.#source).update(code).digest();
  }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return undefined;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
