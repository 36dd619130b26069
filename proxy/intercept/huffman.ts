/**
 * Symbols of HPACK's Huffman code by the length of their codes (RFC 7541 appendix B); 256 ends a string. The code is
 * canonical: within a length codes count up with the symbols, so the lengths say all of it.
 */
const SYMBOLS: ReadonlyMap<number, readonly number[]> = new Map([
  [5, text("012aceiost")],
  [6, text(" %-./3456789=A_bdfghlmnpru")],
  [7, text(":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz")],
  [8, text("&*,;XZ")],
  [10, text('!"()?')],
  [11, text("'+|")],
  [12, text("#>")],
  [13, [0, ...text("$@[]~")]],
  [14, text("^}")],
  [15, text("<`{")],
  [19, [92, 195, 208]],
  [20, [128, 130, 131, 162, 184, 194, 224, 226]],
  [21, [153, 161, 167, 172, 176, 177, 179, 209, 216, 217, 227, 229, 230]],
  [
    22,
    [
      129, 132, 133, 134, 136, 146, 154, 156, 160, 163, 164, 169, 170, 173, 178, 181, 185, 186, 187, 189, 190, 196, 198,
      228, 232, 233,
    ],
  ],
  [
    23,
    [
      1, 135, 137, 138, 139, 140, 141, 143, 147, 149, 150, 151, 152, 155, 157, 158, 165, 166, 168, 174, 175, 180, 182,
      183, 188, 191, 197, 231, 239,
    ],
  ],
  [24, [9, 142, 144, 145, 148, 159, 171, 206, 215, 225, 236, 237]],
  [25, [199, 207, 234, 235]],
  [26, [192, 193, 200, 201, 202, 205, 210, 213, 218, 219, 238, 240, 242, 243, 255]],
  [27, [203, 204, 211, 212, 214, 221, 222, 223, 241, ...range(244, 248), ...range(250, 254)]],
  [28, [...range(2, 8), 11, 12, ...range(14, 21), ...range(23, 31), 127, 220, 249]],
  [30, [10, 13, 22, 256]],
]);
const END = 256;
const PADDING_BITS = 7;

/** What half a byte leads to from an inner node of the code's tree. */
interface Step {
  readonly next: number;
  /** Undefined while the symbol is not complete; a code has five bits at least, so there is never more than one. */
  readonly symbol: number | undefined;
}

interface Automaton {
  /** By node and half byte: `node * 16 + half`. */
  readonly steps: readonly Step[];
  /** Nodes at which a string may end: up to seven bits, all ones, of padding. */
  readonly ends: ReadonlySet<number>;
}

let automaton: Automaton | undefined;

/** Decodes a string (RFC 7541 section 5.2) to Latin-1. Throws `RangeError` on padding that is none, and on the end symbol. */
export function decodeHuffman(bytes: Uint8Array): string {
  automaton ??= makeAutomaton();
  const { steps, ends } = automaton;
  const out = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let length = 0;
  let node = 0;
  for (const byte of bytes) {
    for (const half of [byte >> 4, byte & 15]) {
      const step = steps[node * 16 + half];
      if (step === undefined || step.symbol === END) throw new RangeError("the end symbol stands within a string");
      node = step.next;
      if (step.symbol === undefined) continue;
      out[length] = step.symbol;
      length += 1;
    }
  }
  if (!ends.has(node)) throw new RangeError("a Huffman string ends within a symbol");
  return out.toString("latin1", 0, length);
}

/** A node has two children: another node's number, or a symbol as `-1 - symbol`. */
type Tree = [number, number][];

function makeAutomaton(): Automaton {
  const tree = makeTree();
  const steps = tree.flatMap((_, node) => Array.from({ length: 16 }, (__, half) => walk(tree, node, half)));
  const ends = new Set<number>();
  for (let node = 0, depth = 0; node >= 0 && depth <= PADDING_BITS; depth += 1) {
    ends.add(node);
    node = tree[node]?.[1] ?? -1;
  }
  return { steps, ends };
}

function makeTree(): Tree {
  const tree: Tree = [[0, 0]]; // 0 as a child: not there yet, since the root is nobody's child
  let code = 0;
  let before = 0;
  for (const [length, symbols] of SYMBOLS) {
    code <<= length - before;
    before = length;
    for (const symbol of symbols) {
      plant(tree, { code, length, symbol });
      code += 1;
    }
  }
  return tree;
}

function plant(tree: Tree, { code, length, symbol }: { code: number; length: number; symbol: number }): void {
  let node = 0;
  for (let bit = length - 1; bit > 0; bit -= 1) {
    const branch = tree[node] ?? [0, 0];
    const side = (code >> bit) & 1 ? 1 : 0;
    if (branch[side] === 0) branch[side] = tree.push([0, 0]) - 1;
    node = branch[side];
  }
  const leaf = tree[node] ?? [0, 0];
  leaf[code & 1 ? 1 : 0] = -1 - symbol;
}

function walk(tree: Tree, from: number, half: number): Step {
  let node = from;
  let symbol: number | undefined;
  for (let bit = 3; bit >= 0; bit -= 1) {
    const child = tree[node]?.[(half >> bit) & 1 ? 1 : 0] ?? 0;
    if (child < 0) symbol = -1 - child;
    node = Math.max(child, 0);
  }
  return { next: node, symbol };
}

function text(characters: string): number[] {
  return [...characters].map((character) => character.charCodeAt(0));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
