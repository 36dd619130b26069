/**
 * Names of the files of a log series: `<dir>/<name>-<n>.log`, n counting up from 0 (DESIGN.md section 2).
 * A series is identified by its folder and name; the file with the highest n is live.
 */
export interface SegmentName {
  readonly name: string;
  readonly index: number;
}

const SEGMENT = /^(?<name>.+)-(?<index>0|[1-9][0-9]{0,14})\.log$/;

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
