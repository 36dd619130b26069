import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

/** The page's own code, bundled when waymark is built. */
export interface PageAsset {
  readonly script: string;
  readonly style: string;
}

let kept: PageAsset | undefined;

/** The page's code; it stands beside this module, and beside the bundled program. */
export function pageAsset(): PageAsset {
  kept ??= JSON.parse(readFileSync(new URL("./page.json", import.meta.url), "utf8")) as PageAsset;
  return kept;
}

/** What the Content-Security-Policy calls an inline script or style: its hash. */
export function cspHash(text: string): string {
  return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}
