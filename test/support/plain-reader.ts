import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import split2 from "split2";
import { type ParsedLine, parseLine } from "../../grader/read/parse.ts";

/**
 * The plain reader, which the block reader is tested against: split2 cuts the lines, each is parsed. Hands over every
 * physical line in order; rejects when the stream fails.
 *
 * split2 decodes UTF-8 leniently and drops over-long lines without a word, so it gets the bytes as Latin-1 text (one
 * character per byte) and lines that are capped before they reach it. Nothing is ever mapped to a value: a mapped
 * `null`, the JSON of a perfectly legal line, would end its stream.
 */
export async function readPlain(
  stream: Readable,
  maxBytes: number,
  onLine: (parsed: ParsedLine) => void,
): Promise<void> {
  let isFirst = true;
  const lines = split2(
    /\n/,
    (text: string) => {
      const bytes = Buffer.from(text, "latin1");
      const start = isFirst && hasBom(bytes) ? 3 : 0;
      isFirst = false;
      onLine(readLine(bytes, start, maxBytes));
    },
    { decodeStrings: false },
  );
  lines.resume();
  await pipeline(stream, capLines(maxBytes), lines);
}

function readLine(bytes: Buffer, start: number, maxBytes: number): ParsedLine {
  const length = bytes.length - start - (bytes.at(-1) === 13 ? 1 : 0);
  if (length > maxBytes) {
    return { kind: "bad", why: `longer than ${maxBytes} bytes (limits: line_bytes)`, whole: false };
  }
  return parseLine(bytes, start, bytes.length);
}

function hasBom(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/**
 * Lets at most a few bytes more than `maxBytes` of each line through (room for a byte order mark and a CR), so that a
 * line without end is never held; the bytes leave as Latin-1 text.
 */
function capLines(maxBytes: number): Transform {
  const room = maxBytes + 5;
  let held = 0;
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer | string, _encoding, done) {
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      const kept: string[] = [];
      let start = 0;
      while (start < bytes.length) {
        const lineEnd = bytes.indexOf(10, start);
        const end = lineEnd === -1 ? bytes.length : lineEnd;
        kept.push(bytes.toString("latin1", start, Math.min(end, start + room - held)));
        held = lineEnd === -1 ? Math.min(room, held + end - start) : 0;
        if (lineEnd !== -1) kept.push("\n");
        start = end + 1;
      }
      done(null, kept.join(""));
    },
  });
}
