import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { BlockRing } from "./block-ring.ts";
import { BlockScanner } from "./block-scanner.ts";
import { identityOf } from "./open-file.ts";
import type { AheadOrder, AheadSetting } from "./scan-ahead.ts";

/** A thread that reads and scans blocks of a file before the grading thread comes to them. */
const { memory, keys, blockBytes, share } = workerData as AheadSetting;
const ring = new BlockRing(blockBytes, memory);
const scanner = new BlockScanner(keys, blockBytes);

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
  } finally {
    ring.leave();
  }
}

function scanBlocks(descriptor: number): void {
  for (let block = ring.claimAhead(share); block !== undefined; block = ring.claimAhead(share)) {
    const { bytes, records } = ring.slot(block);
    const read = scanner.read(block, (into, position) => readSync(descriptor, into, 0, into.length, position));
    read.bytes.copy(bytes);
    ring.finish(block, read.bytes.length, scanner.scan(read, records));
    if (read.bytes.length < blockBytes) return;
  }
}
