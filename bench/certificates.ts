import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createSecureContext } from "node:tls";
import { openAuthority } from "../certs/authority.ts";
import { createCertificateFor } from "../certs/leaf.ts";
import { benchFolder } from "./generate.ts";
import { median } from "./numbers.ts";

const NAMES = 200;

/** Milliseconds, medians over 200 new names, that a certificate takes and with it a context of TLS. */
export async function benchCertificates(): Promise<{ readonly certificateMs: number; readonly contextMs: number }> {
  const folder = mkdtempSync(join(benchFolder(), "ca-"));
  try {
    const { authority } = await openAuthority(folder);
    const certificateFor = createCertificateFor(authority);
    await certificateFor("localhost"); // the key that all share
    const [certificates, contexts]: [number[], number[]] = [[], []];
    for (let number = 0; number < NAMES; number += 1) {
      const begun = performance.now();
      const pair = await certificateFor(`h${number}.bench.test`);
      certificates.push(performance.now() - begun);
      createSecureContext(pair);
      contexts.push(performance.now() - begun);
    }
    return { certificateMs: median(certificates), contextMs: median(contexts) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
