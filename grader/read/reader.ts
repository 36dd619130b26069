import { BlockReader } from "./blocks.ts";
import type { Intake, LinePlace } from "./intake.ts";
import { createLineKernel } from "./line-kernel.ts";
import { createLineSplitter, type LineSplitter } from "./lines.ts";
import { type FileFacts, type OpenFile, openFile } from "./open-file.ts";
import { type ParsedLine, parseLine } from "./parse.ts";
import type { PassedEvent } from "./passed-event.ts";
import type { PassedRun } from "./passed-run.ts";
import { LineScanner, type ScanSink } from "./scan.ts";
import type { ScanAhead, ScanWish } from "./scan-ahead.ts";
import { areFolders, type Segment } from "./series.ts";
import { asUnreadable, isGone } from "./unreadable.ts";

/** Bytes read at once; larger blocks were no faster. */
const BLOCK_BYTES = 1 << 20;
/** The same for threads that share the reading, of which each reads what it scans. */
const SHARED_BLOCK_BYTES = 1 << 19;

export interface ReaderOptions {
  readonly lineBytes: number;
  readonly blockBytes?: number;
  /** Take lines for readable where nobody has to see them. */
  readonly isQuick?: boolean;
  /** Opens the files; `openFile` unless given. */
  readonly open?: (file: string) => Promise<OpenFile>;
  /** Told after each block that was taken in. */
  readonly onBlock?: () => void;
  /** Starts threads that scan ahead of this one; asked only where a log can be scanned at all. */
  readonly startAhead?: ((wish: ScanWish) => ScanAhead | undefined) | undefined;
}

interface TornEnd {
  readonly bytes: Buffer;
  readonly parsed: ParsedLine;
  readonly place: LinePlace;
}

/**
 * Reads the files of one series into an intake, one block at a time. It can be told of later files while it reads, and
 * drained again when a file has grown, so that reading a log once and following it are the same thing.
 */
export class SeriesReader {
  readonly #intake: Intake;
  readonly #lineBytes: number;
  readonly #splitter: LineSplitter;
  readonly #ahead: ScanAhead | undefined;
  readonly #blocks: BlockReader;
  readonly #queue: Segment[] = [];
  /** Those of the queue that are open already. */
  readonly #opened = new Map<Segment, OpenFile>();
  #current: Segment | undefined;
  readonly #openFile: (file: string) => Promise<OpenFile>;
  readonly #onBlock: (() => void) | undefined;
  #handle: OpenFile | undefined;
  #facts: FileFacts | undefined;
  #position = 0;
  /** The file has reported a size; special files such as those under /proc report 0, whatever they hold. */
  #hasSize = false;
  #line = 0;
  #torn: TornEnd | undefined;
  /** An error ended the reading: what stands behind it is nobody's any more. */
  #isBroken = false;

  constructor(intake: Intake, options: ReaderOptions) {
    this.#intake = intake;
    this.#lineBytes = options.lineBytes;
    this.#openFile = options.open ?? openFile;
    this.#onBlock = options.onBlock;
    const blockBytes = options.blockBytes ?? (options.startAhead === undefined ? BLOCK_BYTES : SHARED_BLOCK_BYTES);
    const sink: ScanSink = {
      line: (bytes, start, end) => this.#take(parseLine(bytes, start, end), () => bytes.subarray(start, end)),
      tooLong: () => this.#take(this.#tooLong()),
      pass: (event) => this.#pass(event),
      passRun: (run) => this.#passRun(run),
      get selection() {
        return intake.selection;
      },
      runsFrom: () => (this.#torn === undefined ? intake.runsFrom : undefined),
      get endpointsEpoch() {
        return intake.endpointsEpoch;
      },
    };
    const keys = intake.eventKeys;
    const isQuick = options.isQuick === true;
    this.#ahead = keys === undefined ? undefined : options.startAhead?.({ keys, blockBytes, isQuick });
    const kernel = this.#ahead?.kernel ?? (keys === undefined ? undefined : createLineKernel(keys, blockBytes));
    const blocks = kernel?.blocks ?? ([Buffer.allocUnsafe(blockBytes), Buffer.allocUnsafe(blockBytes)] as const);
    this.#blocks = new BlockReader(blocks, this.#ahead);
    this.#splitter =
      kernel === undefined
        ? createLineSplitter(options.lineBytes, sink)
        : new LineScanner(kernel, sink, { maxBytes: options.lineBytes, isQuick });
  }

  /** Files to read after those known so far; files already known are passed over. */
  extend(segments: readonly Segment[]): void {
    const known = this.#queue.at(-1) ?? this.#current;
    for (const segment of segments) {
      const isLater = known === undefined || (segment.index ?? 0) > (known.index ?? -1);
      if (isLater) this.#queue.push(segment);
    }
  }

  /** Open files to read after those known so far, which took over the name of the one being read. */
  succeed(files: readonly { readonly file: string; readonly handle: OpenFile }[]): void {
    for (const { file, handle } of files) {
      const segment = { file };
      this.#opened.set(segment, handle);
      this.#queue.push(segment);
    }
  }

  /** What tells the file being read from others; undefined when none is open. */
  get facts(): FileFacts | undefined {
    return this.#handle === undefined ? undefined : this.#facts;
  }

  /** The file being read. */
  get file(): string | undefined {
    return this.#current?.file;
  }

  /** Reads all that stands in the files now. The last file stays open for more. */
  async drain(): Promise<void> {
    while (!this.#intake.done) {
      if (this.#handle === undefined && !(await this.#openNext())) return;
      await this.#readToEnd();
      if (this.#queue.length === 0) return;
      await this.#leave();
    }
  }

  /** Nothing more comes: hands over a last line without newline, closes the file. */
  async close(): Promise<void> {
    try {
      if (this.#intake.done || this.#isBroken) return;
      await this.#leave();
      this.#settleTorn();
    } finally {
      await this.#closeFile();
      for (const handle of this.#opened.values()) await handle.close();
      this.#ahead?.close();
    }
  }

  async #openNext(): Promise<boolean> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#noteMissingBetween(this.#current, next);
      this.#current = next;
      this.#position = 0;
      this.#hasSize = false;
      this.#line = 0;
      this.#intake.openFile(next.file);
      this.#handle = await this.#open(next);
      if (this.#handle !== undefined) return true;
    }
    return false;
  }

  #noteMissingBetween(before: Segment | undefined, next: Segment): void {
    if (before?.index === undefined || next.index === undefined || next.index === before.index + 1) return;
    if (areFolders(before.file, before.index + 1, next.index)) return;
    this.#settleTorn();
    this.#intake.cut(`a file is missing between ${before.file} and ${next.file}`);
  }

  async #open(segment: Segment): Promise<OpenFile | undefined> {
    const { file } = segment;
    try {
      const handle = this.#opened.get(segment) ?? (await this.#openFile(file));
      this.#opened.delete(segment);
      const facts = await handle.stat();
      this.#facts = facts;
      this.#hasSize = facts.size > 0;
      this.#ahead?.begin(file, facts);
      return handle;
    } catch (cause) {
      if (!isGone(cause)) throw asUnreadable(file, cause);
      this.#intake.cut(`${file} was removed while the log was read`);
      return undefined;
    }
  }

  async #readToEnd(): Promise<void> {
    const handle = this.#handle;
    const file = this.#current?.file ?? "";
    if (handle === undefined) return;
    try {
      for (;;) {
        await this.#blocks.read(handle, this.#position, {
          take: ({ bytes, scanned }) => {
            this.#position += bytes.length;
            this.#splitter.push(bytes, scanned);
            this.#onBlock?.();
          },
          isDone: () => this.#intake.done,
        });
        this.#ahead?.end();
        if (this.#intake.done || !(await this.#wasTruncated(handle, file))) return;
      }
    } catch (cause) {
      this.#isBroken = true;
      throw asUnreadable(file, cause);
    }
  }

  /** A file shorter than what was read of it was cut by another program: what it holds now is read from its start. */
  async #wasTruncated(handle: OpenFile, file: string): Promise<boolean> {
    const { size } = await handle.stat();
    this.#hasSize ||= size > 0;
    if (size >= this.#position || !this.#hasSize) return false;
    this.#intake.cut(`${file} was truncated by another program while it was read`);
    this.#splitter.end();
    this.#position = 0;
    this.#line = 0;
    return true;
  }

  async #leave(): Promise<void> {
    const rest = this.#splitter.end();
    const isLeft = this.#handle?.isLeft === true;
    if (rest.kind === "too long" && !isLeft) this.#take(this.#tooLong());
    if (rest.kind === "passed") this.#pass(rest.event);
    if (rest.kind === "bytes") this.#takeRest(rest.bytes, isLeft);
    await this.#closeFile();
  }

  async #closeFile(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    this.#ahead?.end();
    await handle?.close();
  }

  /** The last line of a file, without a newline: whole, or the first half of a record cut over two files, or `isLeft` there. */
  #takeRest(bytes: Buffer, isLeft: boolean): void {
    const parsed = parseLine(bytes, 0, bytes.length);
    if (parsed.kind === "bad" && isLeft) return;
    if (parsed.kind !== "bad" || parsed.whole) {
      this.#take(parsed);
      return;
    }
    this.#settleTorn();
    this.#line++;
    this.#torn = { bytes, parsed, place: this.#intake.place(this.#line) };
  }

  #take(parsed: ParsedLine, bytes?: () => Buffer): void {
    this.#line++;
    const place = this.#intake.place(this.#line);
    if (this.#torn !== undefined) {
      const joined = this.#line === 1 && parsed.kind === "bad" && bytes !== undefined ? this.#join(bytes()) : undefined;
      if (joined !== undefined) return;
      this.#settleTorn();
    }
    this.#intake.line(parsed, place);
  }

  #pass(event: PassedEvent): void {
    this.#line++;
    const place = this.#intake.place(this.#line);
    if (this.#torn !== undefined) this.#settleTorn();
    this.#intake.pass(event, place);
  }

  #passRun(run: PassedRun): void {
    const last = this.#intake.placeInRun(run, this.#line);
    this.#line += run.lines;
    if (run.events > 0) this.#intake.passRun(run, last);
  }

  /** Puts the halves of a record together that was cut over two files; undefined when they do not make one. */
  #join(secondHalf: Buffer): ParsedLine | undefined {
    const torn = this.#torn;
    if (torn === undefined) return undefined;
    const whole = Buffer.concat([torn.bytes, secondHalf]);
    const parsed = parseLine(whole, 0, whole.length);
    if (parsed.kind === "bad") return undefined;
    this.#torn = undefined;
    this.#intake.line(parsed, torn.place);
    return parsed;
  }

  #settleTorn(): void {
    const torn = this.#torn;
    if (torn === undefined) return;
    this.#torn = undefined;
    this.#intake.line(torn.parsed, torn.place);
    this.#intake.cut(`${torn.place.file} ends inside a record (line ${torn.place.line})`);
  }

  #tooLong(): ParsedLine {
    return { kind: "bad", why: `longer than ${this.#lineBytes} bytes (limits: line_bytes)`, whole: false };
  }
}
