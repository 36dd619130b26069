/**
 * Names of the files of a log series: `<dir>/<name>-<n>.log`, n counting up from 0 (DESIGN.md section 2).
 * A series is identified by its folder and name; the file with the highest n is live.
 */
export interface SegmentName {
  readonly name: string;
  readonly index: number;
}

const SEGMENT = /^(?<name>.+)-(?<index>0|[1-9][0-9]{0,14})\.log$/;

/** Characters that some system allows in no file name, or that would lead out of the folder. */
const UNNAMEABLE = /[/\\:*?"<>|\p{Cc}]/u;
const MAX_NAME_BYTES = 200;

/** True for a name that files of a series can have on every system: not empty, not too long, no path. */
export function isSeriesName(name: string): boolean {
  return name !== "" && new TextEncoder().encode(name).length <= MAX_NAME_BYTES && !UNNAMEABLE.test(name);
}

/** `telemetry-12.log` for ("telemetry", 12). */
export function segmentFile(name: string, index: number): string {
  return `${name}-${index}.log`;
}

/** Reads a file name (no folder) of a series; undefined when it is not one, such as `notes.log` or `x-01.log`. */
export function parseSegmentFile(file: string): SegmentName | undefined {
  const groups = SEGMENT.exec(file)?.groups;
  const name = groups?.["name"];
  const index = groups?.["index"];
  return name === undefined || index === undefined ? undefined : { name, index: Number(index) };
}
