import { seededRandom } from "../../examples/chat/random.ts";
import { LARGE_BYTES } from "../../grader/read/parse.ts";
import { type HostileCase, hostileCase } from "./hostile-logs.ts";

/** What a long line has beside its padding; `PAD` is where that goes. */
const SHAPES = [
  '{"name":"idle","data":{"k":"click"},"pad":"PAD"}',
  '{"pad":["PAD"],"name":"idle","data":{"k":1,"Gesture":"click"}}',
  '{"name":"open","pad":"PAD","data":{"k":"click","Gesture":"click"}}',
  '{"pad":"PAD","data":{"k":1,"Gesture":1},"name":"close"}',
  '{"name":"Open","data":{"k":"click"},"pad":{"pad":["PAD",{}]}}',
  '{"name":"OPEN","time":"2026-01-01T00:00:01.000Z","pad":"PAD"}',
  '{"name":"","pad":"PAD"}',
  '{"name":7,"pad":"PAD","data":{"k":"click"}}',
  '{"pad":"PAD","data":{"k":"click","Gesture":"click"}}',
  '{"name":"idle","pad":"PAD","name":"open","data":{"k":"click"}}',
  '{"name":"open","pad":"PAD","name":"idle","data":{"k":"click"}}',
  '{"name":"\\u006fpen","data":{"k":"click"},"pad":"PAD"}',
  '{"na\\u006de":"open","pad":"PAD","data":{"k":"click"}}',
  '{"name":"\\u0069dle","pad":"PAD"}',
  '{"name":"open","data":{"k":"click"},"pad":"PAD","data":{"k":"x\\ty"}}',
  '{"name":"open","data":{"k":"x","pad":"PAD","k":"click"}}',
  '{"name":"open","data":{"k":"cl\\u0069ck","pad":"PAD"}}',
  '{"name":"open","data.k":"click","pad":"PAD"}',
  '{"name":"idle","time":"2026-01-01T00:00:03.25Z","pad":"PAD","$capture":{"seq":1,"at":"2026-01-01T00:00:03.000Z"}}',
  '{"pad":"PAD","$capture":{"host":"h","path":"/p","seq":1},"name":"idle","time":1767225603}',
  '{"name":"idle","$capture":{"seq":1,"pad":"PAD"},"$capture":{"at":"2026-01-01T00:00:09.000Z"}}',
  '{"name":"idle","pad":"PAD","$capture":{"undecoded":"why","host":"h","path":"/p"}}',
  '{"name":"idle","pad":"PAD","$capture":{"truncated":true}}',
  '{"name":"idle","pad":"PAD","__proto__":{"name":"open"}}',
  '{"name":null,"pad":"PAD","$capture":{"control":"tick","at":"2026-01-01T00:00:09.000Z"}}',
  '{"name":"PAD","data":{"k":"click"}}',
  '{"name":"idle","time":"PAD"}',
  '{"name":"idle","pad":"PAD"',
  '{"name":"idle","pad":"PAD}',
  '{"name":"idle","pad":"PAD"}}',
  '{"name":"idle","pad":"PAD" "x":1}',
  '{"name":"idle","pad":[1,2,"PAD",]}',
  '{"name":"idle","pad":"PAD\\x"}',
  '["idle","PAD"]',
  '"PAD"',
  " PAD",
] as const;

/** What fills a line: each piece once, again and again. */
const FILLS: readonly (readonly string[])[] = [
  ["lorem ipsum dolor sit amet "],
  ["é会😀 "],
  ['q\\"q', "\\u00e9", "\\\\", "\\n", "\\ud83d\\ude00"],
  ['x","y', '":[1,-2.5e3,true,null,{"name":"open","data":{"k":"click"}},"'],
  ['"],["'],
  ["0123456789"],
];

/** Around the lengths from which a line is no longer held before a block, and from which its event is large. */
const LENGTHS = [
  1 << 18,
  LARGE_BYTES - 1,
  LARGE_BYTES,
  LARGE_BYTES + 1,
  LARGE_BYTES + 70_000,
  2 * LARGE_BYTES,
] as const;

/** The case of a seed, always the same: a hostile log with a few lines that are longer than any block has room for. */
export function longCase(seed: number): HostileCase {
  const random = seededRandom([seed, 1]);
  const base = hostileCase(seed);
  const lines = base.log.toString("latin1").split("\n").slice(0, 80);
  for (let longs = 1 + random.below(3); longs > 0; longs--) {
    const [shape, fill, length] = [random.pick(SHAPES), random.pick(FILLS), random.pick(LENGTHS)];
    const end = random.pick(["", "", "", "\r", " ", "\xff"]);
    const at = random.below(3) === 0 ? 0 : random.below(lines.length + 1);
    lines.splice(at, 0, filled(shape, fill, length - end.length) + end);
  }
  return {
    ...base,
    log: Buffer.from(lines.join("\n"), "latin1"),
    blockBytes: random.pick([4096, 65_536, 300_000, 1 << 20]),
    lineBytes: random.below(10) === 0 ? LARGE_BYTES : 1 << 24,
  };
}

/** The shape with as much of the fill as makes so many bytes, in Latin-1 text of UTF-8 bytes. */
function filled(shape: string, fill: readonly string[], length: number): string {
  const piece = Buffer.from(fill.join("")).toString("latin1");
  const room = length - shape.length + "PAD".length;
  const whole = piece.repeat(Math.floor(room / piece.length));
  return shape.replace("PAD", () => whole + "x".repeat(room - whole.length));
}
