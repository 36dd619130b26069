import { ASK, LOOK_AT, PASS } from "./kernel-fold.ts";
import { FIELD, type LineKernel, UNKNOWN_NAME } from "./line-kernel.ts";
import type { Interest, Selection } from "./selection.ts";

const QUOTE = 34;
/** How JSON spells a character that could also stand there as it is. */
const ESCAPE = Buffer.from("\\u");

/**
 * Which events of a log somebody has to see: asks for the reasons once for each name, and tells the kernel what becomes
 * of the next events of that name.
 */
export class WantedNames {
  readonly #kernel: LineKernel;
  readonly #names: string[] = ["", ""];
  /** By name id, the reasons to see an event of that name, and when they were asked for. */
  readonly #asked: ({ readonly generation: number; readonly interests: readonly Interest[] } | undefined)[] = [];

  /** The name of the event that was asked for last, when it is not wanted and events of that name are counted. */
  countedName: string | undefined;

  constructor(kernel: LineKernel) {
    this.#kernel = kernel;
  }

  /** The reasons are others now: the kernel has to ask again. */
  forget(): void {
    this.#kernel.passing.forgetNames();
    this.#kernel.tests.clear();
  }

  /** True for an event, by its record at `base`, that has to be parsed. */
  isWanted(base: number, selection: Selection): boolean {
    const id = this.#nameId(base);
    const interests = this.#interests(id, base, selection);
    const program = interests.length === 0 ? undefined : this.#kernel.tests.program(interests);
    const isWanted = this.#couldBe(base, program) && this.#concerns(interests, base);
    const isCounted = interests.some(({ counts }) => counts);
    this.countedName = isCounted && !isWanted ? this.#nameOf(id, base) : undefined;
    const isLast = !isWanted && !isCounted;
    if (!isLast) this.#asked[id] = undefined; // what comes of it may leave fewer reasons
    if (id !== UNKNOWN_NAME) this.#settle(id, isLast ? interests : undefined, program);
    return isWanted;
  }

  /** Tells the kernel what becomes of the next event of this name; without `interests`, it has to ask again. */
  #settle(id: number, interests: readonly Interest[] | undefined, program: number | undefined): void {
    const { passing } = this.#kernel;
    if (interests === undefined) passing.settle(id, ASK);
    else if (program !== undefined) passing.settleByProgram(id, program);
    else passing.settle(id, interests.length === 0 ? PASS : LOOK_AT);
  }

  #couldBe(base: number, program: number | undefined): boolean {
    return program === undefined || this.#kernel.isAwaited(this.#kernel.records[base + FIELD.start] ?? 0, program);
  }

  #interests(id: number, base: number, selection: Selection): readonly Interest[] {
    const { generation } = selection;
    const asked = this.#asked[id];
    if (id !== UNKNOWN_NAME && asked?.generation === generation) return asked.interests;
    const interests = selection.interests(this.#nameOf(id, base));
    this.#asked[id] = { generation, interests };
    return interests;
  }

  /** The id of the name in this record; UNKNOWN_NAME when there is no room for more names. */
  #nameId(base: number): number {
    const id = this.#kernel.nameId(base);
    if (id !== UNKNOWN_NAME) return id;
    const { records } = this.#kernel;
    const entered = this.#kernel.enterName(
      (records[base + FIELD.name] ?? 0) + 1,
      (records[base + FIELD.name + 1] ?? 0) - 1,
    );
    if (entered !== UNKNOWN_NAME) this.#names[entered] = this.#nameAt(base);
    return entered;
  }

  #nameOf(id: number, base: number): string {
    return id === UNKNOWN_NAME ? this.#nameAt(base) : (this.#names[id] ?? "");
  }

  #nameAt(base: number): string {
    return nameIn(this.#kernel.bytes, this.#kernel.records, base);
  }

  #concerns(interests: readonly Interest[], base: number): boolean {
    if (interests.length === 0) return false;
    const { records, bytes } = this.#kernel;
    const line = bytes.subarray(records[base + FIELD.start], records[base + FIELD.end]);
    let isSpelled: boolean | undefined;
    for (const { tests, least } of interests) {
      let possible = 0;
      for (const { bytes: text } of tests) if (text === undefined || line.includes(text)) possible += 1;
      if (possible >= least) return true;
      isSpelled ??= line.includes(ESCAPE);
      if (isSpelled) return true;
    }
    return false;
  }
}

/** The name of the event whose record begins at `base`; "" when it has none. */
export function nameIn(bytes: Buffer, records: Uint32Array, base: number): string {
  const start = records[base + FIELD.name] ?? 0;
  return bytes[start] === QUOTE ? bytes.toString("utf8", start + 1, (records[base + FIELD.name + 1] ?? 0) - 1) : "";
}
