import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { BlockRing } from "./block-ring.ts";
import { BlockScanner } from "./block-scanner.ts";
import { createLineKernel } from "./line-kernel.ts";
import { identityOf } from "./open-file.ts";
import { type AheadOrder, type AheadSetting, roomFor } from "./scan-ahead.ts";
import { isSystemError } from "./unreadable.ts";

/** A thread that reads and scans blocks of a file before the grading thread comes to them. */
const { room, keys, blockBytes, isQuick, share, ring: memory } = workerData as AheadSetting;
const ring = new BlockRing(memory);
const kernel = createLineKernel(keys, blockBytes, {
  room: roomFor(share.threads - 1, blockBytes, room),
  index: share.index,
});
if (kernel === undefined) throw new Error("there is no kernel to scan with, although the grading thread has one");
const scanner = new BlockScanner(kernel, { isQuick });

parentPort?.on("message", (order: AheadOrder) => {
  if (order === null) parentPort?.close();
  else scanFile(order);
});

function scanFile({ file, identity }: NonNullable<AheadOrder>): void {
  try {
    const descriptor = openSync(file, "r");
    try {
      if (identityOf(fstatSync(descriptor)) === identity) scanBlocks(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error; // whoever grades meets the same one, or can do without this thread
  } finally {
    ring.leave();
  }
}

function scanBlocks(descriptor: number): void {
  for (let block = ring.claimAhead(share); block !== undefined; block = ring.claimAhead(share)) {
    if (scanBlock(descriptor, block) < blockBytes) return;
  }
}

/** Returns how many bytes the block has. */
function scanBlock(descriptor: number, block: number): number {
  try {
    const read = scanner.read(block, (into, position) => readSync(descriptor, into, 0, into.length, position));
    ring.finish(block, read.bytes.length, scanner.scan(read, ring.records(block)));
    return read.bytes.length;
  } catch (error) {
    ring.giveUp(block);
    throw error;
  }
}
