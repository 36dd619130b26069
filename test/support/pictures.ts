import { deflateSync } from "node:zlib";
import { seededRandom } from "../../examples/chat/random.ts";

/** A drawing surface in colours. */
export interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

type Colour = readonly [number, number, number];

export function canvas(width: number, height: number, colour: Colour): Canvas {
  const drawn = { width, height, bytes: new Uint8Array(width * height * 3) };
  box(drawn, [0, 0, width, height], colour);
  return drawn;
}

export function box(
  on: Canvas,
  [x, y, width, height]: readonly [number, number, number, number],
  colour: Colour,
): void {
  const [left, right] = [Math.max(0, x), Math.min(on.width, x + width)];
  const line = Uint8Array.from({ length: Math.max(0, right - left) * 3 }, (_, at) => colour[at % 3] ?? 0);
  for (let row = Math.max(0, y); row < Math.min(on.height, y + height); row++) {
    on.bytes.set(line, (row * on.width + left) * 3);
  }
}

/** Writes letters that look like letters from afar: each its own pattern of 4 x 6 dots, two pixels wide. */
export function write(
  on: Canvas,
  [x, y]: readonly [number, number],
  text: string,
  colour: Colour = [30, 30, 40],
): void {
  for (const [index, letter] of [...text].entries()) {
    if (letter === " ") continue;
    const random = seededRandom([letter.codePointAt(0) ?? 0]);
    for (let dot = 0; dot < 24; dot++) {
      if (random.chance(0.5)) box(on, [x + index * 11 + (dot % 4) * 2, y + Math.floor(dot / 4) * 3, 2, 3], colour);
    }
  }
}

/** What differs between two pictures of one state: the clock, and how the window is decorated. */
export interface Moment {
  readonly clock: string;
  readonly bar: { readonly height: number; readonly colour: Colour; readonly title: string };
}

export type Screen = "search dialog" | "loading" | "search results" | "error";

/** A screenshot of an app of 1280 x 800 pixels in one of its states. */
export function screenshot(screen: Screen, { clock, bar }: Moment): Canvas {
  const on = canvas(1280, 800, [245, 246, 248]);
  box(on, [0, 60, 220, 740], [225, 229, 236]);
  for (let row = 0; row < 9; row++) write(on, [24, 90 + row * 50], `Folder ${row}`);
  if (screen === "search dialog") {
    box(on, [340, 240, 640, 220], [255, 255, 255]);
    box(on, [380, 300, 560, 44], [210, 216, 226]);
    write(on, [400, 314], "Search all messages");
    box(on, [800, 390, 140, 40], [40, 90, 200]);
  }
  if (screen === "loading") {
    box(on, [590, 330, 140, 140], [70, 110, 190]);
    box(on, [625, 365, 70, 70], [245, 246, 248]);
    write(on, [600, 500], "Loading");
  }
  if (screen === "search results" || screen === "error") {
    for (let row = 0; row < 8; row++) {
      box(on, [260, 90 + row * 82, 960, 70], [255, 255, 255]);
      write(on, [280, 104 + row * 82], `Result number ${row} of the search for pelican`);
      write(on, [280, 130 + row * 82], "in the folder of last spring, from Ann and Bo", [110, 115, 125]);
    }
  }
  if (screen === "error") {
    box(on, [440, 290, 400, 200], [252, 228, 228]);
    box(on, [440, 290, 400, 40], [190, 30, 40]);
    write(on, [470, 360], "The search broke off");
    box(on, [700, 430, 110, 36], [190, 30, 40]);
  }
  box(on, [0, 0, 1280, bar.height], bar.colour);
  write(on, [14, 4], bar.title, [255, 255, 255]);
  write(on, [1160, 772], clock);
  return on;
}

/** Moments that differ in clock and decoration, by number. */
export function moment(number: number): Moment {
  const random = seededRandom([number, 77]);
  const two = (limit: number): string => String(random.below(limit)).padStart(2, "0");
  const shade = (): number => 20 + random.below(120);
  return {
    clock: `${two(24)}:${two(60)}:${two(60)}`,
    bar: { height: 22 + random.below(16), colour: [shade(), shade(), shade()], title: `Chat ${random.below(10_000)}` },
  };
}

/** The canvas as a PNG file (W3C PNG specification, third edition): colour type 2, no filter. */
export function toPng({ width, height, bytes }: Canvas): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++)
    rows.set(bytes.subarray(y * width * 3, (y + 1) * width * 3), y * (1 + width * 3) + 1);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
