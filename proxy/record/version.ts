import { createRequire } from "node:module";

/** The version of this waymark, as in its package.json. */
export const WAYMARK_VERSION: string = readVersion();

function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)("waymark/package.json");
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "0.0.0";
}
