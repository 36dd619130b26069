import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { BlockRing } from "./block-ring.ts";
import { BlockScanner } from "./block-scanner.ts";
import { createLineKernel } from "./line-kernel.ts";
import { identityOf } from "./open-file.ts";
import { type AheadFile, type AheadOrder, type AheadSetting, roomFor } from "./scan-ahead.ts";
import { isSystemError } from "./unreadable.ts";

// A thread that reads and scans blocks of a file before the grading thread comes to them.
parentPort?.once("message", (setting: AheadSetting) => {
  const ahead = new Ahead(setting);
  parentPort?.on("message", (order: AheadOrder) => {
    if (order === null) parentPort?.close();
    else ahead.scanFile(order);
  });
});

class Ahead {
  readonly #setting: AheadSetting;
  readonly #ring: BlockRing;
  readonly #scanner: BlockScanner;

  constructor(setting: AheadSetting) {
    const { room, keys, blockBytes, isQuick, share, ring } = setting;
    this.#setting = setting;
    this.#ring = new BlockRing(ring);
    const from = roomFor(share.threads - 1, blockBytes, room);
    const kernel = createLineKernel(keys, blockBytes, { room: from, index: share.index });
    if (kernel === undefined) throw new Error("there is no kernel to scan with, although the grading thread has one");
    this.#scanner = new BlockScanner(kernel, { isQuick });
  }

  scanFile({ file, identity }: AheadFile): void {
    try {
      const descriptor = openSync(file, "r");
      try {
        if (identityOf(fstatSync(descriptor)) === identity) this.#scanBlocks(descriptor);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      if (!isSystemError(error)) throw error; // whoever grades meets the same one, or can do without this thread
    } finally {
      this.#ring.leave();
    }
  }

  #scanBlocks(descriptor: number): void {
    const { share, blockBytes } = this.#setting;
    const ring = this.#ring;
    const readAt = (into: Buffer, position: number): number => readSync(descriptor, into, 0, into.length, position);
    for (let block = ring.claimAhead(share); block !== undefined; block = ring.claimAhead(share)) {
      if (this.#scanner.fill(ring, block, readAt) < blockBytes) return;
    }
  }
}
