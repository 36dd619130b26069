import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { UnnumberedLine } from "../../proxy/log/queue.ts";
import type { JsonObject } from "../../proxy/record/json.ts";
import { parseSegmentFile } from "../../proxy/record/series.ts";
import { at, parseRecord } from "./records.ts";

/** A record as the pipeline hands it to the writer, of about `size` bytes. */
export function unnumbered(name: string, size = 120): UnnumberedLine {
  const pad = "x".repeat(Math.max(0, size - 60));
  return { before: `{"name":"${name}","data":{"pad":"${pad}"},"$capture":{"seq":`, after: ',"index":0}}' };
}

/** The files of a series in a folder, oldest first, by name. */
export function seriesFiles(dir: string): string[] {
  const index = (file: string) => parseSegmentFile(file)?.index ?? -1;
  return readdirSync(dir)
    .filter((file) => index(file) >= 0)
    .sort((a, b) => index(a) - index(b));
}

/** Every line of one file, parsed; fails the test when the file does not consist of whole lines. */
export function fileLines(path: string): JsonObject[] {
  const text = readFileSync(path, "utf8");
  assert.ok(text === "" || text.endsWith("\n"), `${path} ends inside a line`);
  return text.split("\n").slice(0, -1).map(parseRecord);
}

/** Every line of a series in order. */
export function seriesLines(dir: string): JsonObject[] {
  return seriesFiles(dir).flatMap((file) => fileLines(join(dir, file)));
}

/** The numbers of the records among these lines. */
export function seqsOf(lines: readonly JsonObject[]): number[] {
  return lines.flatMap((line) => {
    const seq = at(line, "$capture", "seq");
    return typeof seq === "number" ? [seq] : [];
  });
}

/** `[1, 2, ..., count]`. */
export function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The control lines among these, as `$capture`. */
export function controlsOf(lines: readonly JsonObject[], control: string): JsonObject[] {
  return lines.flatMap((line) => {
    const meta = at(line, "$capture");
    return at(meta, "control") === control ? [meta as JsonObject] : [];
  });
}
