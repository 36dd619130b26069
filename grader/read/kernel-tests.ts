import type { AwaitedField, Interest } from "./selection.ts";

/** The layout of a program; kernel/awaited.ts has the same. */
const PROGRAM_BYTES = 24;
const NODE_BYTES = 32;
const TEST_BYTES = 16;
const VALUE_BYTES = 16;
const INTEREST_BYTES = 8;
const TYPES = { text: 0, number: 1, true: 2, false: 3, null: 4 } as const;

/** Room for the programs of one generation of reasons. */
export const TESTS_BYTES = 1 << 18;
/** More tests than these cost more than they save. */
const MOST_TESTS = 1000;

interface Node {
  readonly at: number;
  readonly below: Map<string, Node>;
  last: Node | undefined;
}

/** Writes into the kernel's memory what it has to look at in events of a name. */
export class KernelTests {
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #end: number;
  #next: number;
  /** Programs that stand there, by what they ask. */
  #known = new Map<string, number>();
  /** What was made of interests, which are asked about again and again. */
  readonly #asking = new Map<Interest, Asked | null>();

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#start = at;
    this.#end = at + TESTS_BYTES;
    this.#next = at;
  }

  /** Forgets all programs. */
  clear(): void {
    this.#next = this.#start;
    this.#known.clear();
    this.#asking.clear();
  }

  /**
   * Where the program stands that tells the events these interests could be about; undefined when bytes cannot tell, or
   * when there is no room for it.
   */
  program(interests: readonly Interest[]): number | undefined {
    const asked = new Map<string, Asked>();
    for (const interest of interests) {
      const one = this.#askedBy(interest);
      if (one === undefined) return undefined;
      asked.set(one.id, one);
    }
    const id = [...asked.keys()].sort().join("\n");
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const at = this.#write([...asked.values()]);
    if (at !== undefined) this.#known.set(id, at);
    return at;
  }

  #askedBy(interest: Interest): Asked | undefined {
    const known = this.#asking.get(interest);
    if (known !== undefined) return known ?? undefined;
    const made = askedIn(interest);
    this.#asking.set(interest, made ?? null);
    return made;
  }

  #write(asked: readonly Asked[]): number | undefined {
    const fields = new Map(asked.flatMap((one) => one.fields.map((field) => [field.id, field])));
    if (fields.size > MOST_TESTS || this.#next + sizeOf(asked, [...fields.values()]) > this.#end) return undefined;
    const program = this.#take(PROGRAM_BYTES);
    const root: Node = { at: this.#take(NODE_BYTES), below: new Map(), last: undefined };
    const nodes = [...fields.values()].map(({ path }) => this.#node(root, path));
    const values = [...fields.values()].map((field) => this.#values(field));
    const tests = this.#take(TEST_BYTES * fields.size);
    const placeOf = new Map<string, number>();
    [...fields.values()].forEach((field, index) => {
      const at = tests + TEST_BYTES * index;
      placeOf.set(field.id, at);
      this.#put(at, [nodes[index] ?? 0, values[index] ?? 0, field.values.length, 0]);
    });
    const first = this.#next;
    for (const { fields: own, least } of asked) {
      const at = this.#take(INTEREST_BYTES + 4 * own.length);
      this.#put(at, [least, own.length, ...own.map(({ id }) => placeOf.get(id) ?? 0)]);
    }
    this.#next = (this.#next + 7) & ~7;
    this.#put(program, [root.at, tests, fields.size, first, asked.length]);
    return program;
  }

  /** The node of a field; those on the way are shared. */
  #node(root: Node, path: readonly string[]): number {
    let node = root;
    for (const key of path) {
      const child = node.below.get(key) ?? this.#child(node, key);
      node.below.set(key, child);
      node = child;
    }
    return node.at;
  }

  #child(node: Node, key: string): Node {
    const at = this.#take(NODE_BYTES);
    const text = this.#text(key);
    this.#put(at, [text, Buffer.byteLength(key), 0, node.last?.at ?? 0, 0, 0, 0, 0]);
    this.#put(node.at + 8, [at]);
    const child: Node = { at, below: new Map(), last: undefined };
    node.last = child;
    return child;
  }

  #values({ values }: AwaitedField): number {
    const at = this.#take(VALUE_BYTES * values.length);
    values.forEach((value, index) => {
      const to = at + VALUE_BYTES * index;
      if (typeof value === "string") this.#put(to, [TYPES.text, Buffer.byteLength(value), this.#text(value)]);
      else if (typeof value === "number") {
        this.#put(to, [TYPES.number]);
        this.#bytes.writeDoubleLE(value, to + 8);
      } else this.#put(to, [TYPES[`${value}`]]);
    });
    return at;
  }

  #text(text: string): number {
    const at = this.#take(roundUp(Buffer.byteLength(text)));
    this.#bytes.write(text, at);
    return at;
  }

  #take(bytes: number): number {
    const at = this.#next;
    this.#bytes.fill(0, at, at + bytes);
    this.#next += bytes;
    return at;
  }

  #put(at: number, numbers: readonly number[]): void {
    for (const [index, number] of numbers.entries()) this.#bytes.writeUInt32LE(number, at + 4 * index);
  }
}

/** An interest without the tests that bytes say nothing about: these count as if they held. */
interface Asked {
  readonly id: string;
  readonly fields: readonly AwaitedField[];
  readonly least: number;
}

/** Undefined for an interest that every event is about, as far as bytes can tell. */
function askedIn({ tests, least }: Interest): Asked | undefined {
  const fields = tests.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const needed = Math.ceil(least) - (tests.length - fields.length);
  if (needed <= 0) return undefined;
  return { id: JSON.stringify([needed, ...fields.map(({ id }) => id)]), fields, least: needed };
}

/** What they take at most. */
function sizeOf(asked: readonly Asked[], fields: readonly AwaitedField[]): number {
  let size = PROGRAM_BYTES + NODE_BYTES + 8;
  for (const { path, values } of fields) {
    size += TEST_BYTES + VALUE_BYTES * values.length;
    for (const key of path) size += NODE_BYTES + roundUp(Buffer.byteLength(key));
    for (const value of values) if (typeof value === "string") size += roundUp(Buffer.byteLength(value));
  }
  for (const { fields: own } of asked) size += INTEREST_BYTES + 4 * own.length;
  return size;
}

function roundUp(bytes: number): number {
  return (bytes + 7) & ~7;
}
