import { createHash } from "node:crypto";
import type { Trace } from "./trace.ts";

/** Digest of a run, by which runs are put in an order. Times are part of it, so that runs that differ in them only have one order as well. */
export function digestOf({ items, times, params, pictures }: Trace): string {
  const hash = createHash("sha256");
  hash.update(new Uint8Array(Int32Array.from(items).buffer));
  hash.update(JSON.stringify([...params].sort().map(([name, value]) => [name, String(value)])));
  if (pictures !== undefined) hash.update(JSON.stringify([...pictures]));
  if (times !== undefined) hash.update(new Uint8Array(times.buffer, times.byteOffset, times.byteLength));
  return hash.digest("hex");
}
