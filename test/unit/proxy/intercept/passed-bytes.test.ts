import assert from "node:assert/strict";
import test from "node:test";
import { countPassed } from "../../../../proxy/intercept/passed-bytes.ts";

const CHUNK_BYTES = 65_536;
const CHUNKS = 1_600;

/** Bytes of chunks that are resident at most while so many of them come and go at once. */
async function peakOf(pass: (bytes: number) => void): Promise<number> {
  let peak = 0;
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    pass(Buffer.allocUnsafeSlow(CHUNK_BYTES).length);
    if (chunk % 8 !== 0) continue;
    peak = Math.max(peak, process.memoryUsage().arrayBuffers);
    await new Promise(setImmediate);
  }
  return peak;
}

test("of 100 MB that pass no more than a few are resident at a time", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const counted = (await peakOf(countPassed)) - before;
  const uncounted = (await peakOf(() => undefined)) - before;
  assert.ok(counted < uncounted / 2, `${counted} of ${uncounted} bytes; if V8 keeps few by itself, this is not needed`);
});
