const LF = 0x0a;
const CR = 0x0d;

/** Index after the empty line that ends a head, searched from `scan`; undefined while it is not there. */
export function headEnd(bytes: Buffer, from: number, scan: number): number | undefined {
  for (let lf = bytes.indexOf(LF, scan); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    const next = bytes[lf + 1];
    if (next === LF) return lf + 2;
    if (next === CR && bytes[lf + 2] === LF) return lf + 3;
    if (next === undefined && lf >= from) return undefined;
  }
  return undefined;
}

/** The text of the head whose empty line ends at `end`, without that and without the end of its last line. */
export function headText(bytes: Buffer, from: number, end: number): string {
  return bytes.toString("latin1", from, lineEnd(bytes, lineEnd(bytes, end)));
}

/** Index before the line end whose last byte stands before `end`. */
function lineEnd(bytes: Buffer, end: number): number {
  return bytes[end - 2] === CR ? end - 2 : end - 1;
}
