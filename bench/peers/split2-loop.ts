import { createReadStream, readFileSync } from "node:fs";
import split2 from "split2";

// The usual way in Node: split2 and JSON.parse. node split2-loop.js LOG MARKERS prints {"found": [...], "bad": N}.
const [log = "", markersFile = ""] = process.argv.slice(2);
const markers = JSON.parse(readFileSync(markersFile, "utf8")) as [path: string, value: unknown][][];
const found: number[] = [];
let bad = 0;
let index = -1;

for await (const line of createReadStream(log).pipe(split2()) as AsyncIterable<string>) {
  index += 1;
  if (line.trim() === "") continue;
  try {
    const record: unknown = JSON.parse(line);
    const marker = markers[found.length];
    if (marker?.every(([path, value]) => deepGet(record, path) === value) === true) found.push(index);
  } catch {
    bad += 1;
  }
}
process.stdout.write(`${JSON.stringify({ found, bad })}\n`);

function deepGet(record: unknown, path: string): unknown {
  let current = record;
  for (const key of path.split(".")) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}
