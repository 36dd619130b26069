import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { pemCertificates } from "../../certs/bundle.ts";
import type { Variables } from "../../certs/trust.ts";
import { writeWhole } from "../../certs/vault.ts";
import { javaTrustStore } from "./java-trust-store.ts";
import { RUNTIMES } from "./runtimes/index.ts";

/** Stands beside this module, and beside the bundled command line program. */
const PRELOAD = fileURLToPath(new URL("./preload.cjs", import.meta.url));

export interface ProgramSurroundings {
  /** Address of the proxy as a URL, such as `http://127.0.0.1:8899`. */
  readonly proxyUrl: string;
  /** The authority's certificate alone. */
  readonly certFile: string;
  /** Roots and authority merged. */
  readonly bundleFile: string;
  /** The environment that is added to. */
  readonly base: Readonly<Record<string, string | undefined>>;
}

/**
 * What to set so that programs go through the proxy and trust its authority, for every runtime waymark knows; the one list
 * of `waymark env` and of a launch. A Java trust store is kept beside the bundle; when it cannot be written, Java gets the
 * proxy alone.
 */
export function programVariables(surroundings: ProgramSurroundings): Variables {
  const context = { ...surroundings, javaTrustStore: storeBeside(surroundings.bundleFile), preloadFile: PRELOAD };
  return RUNTIMES.flatMap((runtime) => runtime.variables(context));
}

function storeBeside(bundleFile: string): string | undefined {
  const file = join(dirname(bundleFile), `${basename(bundleFile, ".pem")}.jks`);
  try {
    const certificates = pemCertificates(readFileSync(bundleFile, "utf8"));
    // The date is part of the bytes; a fixed one leaves the file as it is when nothing has changed.
    writeWhole(file, javaTrustStore(certificates, new Date(0)));
    return file;
  } catch {
    return undefined;
  }
}
