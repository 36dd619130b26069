import { type Random, seededRandom } from "../../examples/chat/random.ts";
import type { JsonObject, JsonValue } from "../../proxy/record/json.ts";

/** A log with every kind of damage and oddity a reader may meet, and scenarios that find something in it. */
export interface HostileCase {
  readonly log: Buffer;
  readonly scenarios: readonly { readonly markers: readonly JsonObject[]; readonly events?: JsonObject }[];
  readonly blockBytes: number;
  readonly lineBytes: number;
}

const NAMES = ["open", "Open", "close", "switch", "cliqué", "会話", "a/b", "send", ""];
const VALUES: readonly JsonValue[] = ["click", "Click", "x\ty", 'q"q', "é", "😀", "a/b", "", 1, 0, -2.5, true, null];
const DAMAGE = [
  "{",
  "}",
  "null",
  "[]",
  "3",
  '"x"',
  "",
  " ",
  "\t\r",
  "{,}",
  '{"name":"open",}',
  '{"name":"open" "a":1}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":-}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1e}',
  '{"a":"\\x"}',
  '{"a":"\\u12G4"}',
  '{"a":tru}',
  '{"a":nul1}',
  '{"a":fals}',
  '{"name":NaN}',
  "\u00a0{}",
  "{}\u2028",
  "\ufeff{}",
  '{"name":"op\0en"}',
  '{"name":"op\ten"}',
  '{"name":"open"}}',
  '{"name":"open"}{"name":"close"}',
  `${"[".repeat(999)}${"]".repeat(999)}`,
  `{"name":"open","a":${"[".repeat(999)}${"]".repeat(999)}}`,
  `{"name":"open","a":${"[".repeat(1001)}${"]".repeat(1001)}}`,
  `{"name":"close","a":${"[".repeat(230)}1${"]".repeat(230)}}`,
  '{"__proto__":{"name":"open"},"id":12345678901234567}',
  '{"name":"open","id":12345678901234567,"id":1}',
  '{"time":1700000000000000123,"name":"open"}',
  '{"name":"open","$capture":{"at":"2026-01-01T00:00:00.000Z","retry":true}}',
  '{"name":"open","$capture":{"truncated":true}}',
  '{"name":null,"$capture":{"control":"tick","at":"2026-01-01T00:00:09.000Z"}}',
  '{"name":null,"$capture":{"control":"loss","at":"2026-01-01T00:00:09.000Z","records":3,"why":"disk full"}}',
  '{"name":null,"$capture":{"control":"stop","at":"2026-01-01T00:00:09.000Z"}}',
  '{"name":null,"$capture":{"control":"stop","at":"2026-01-01T00:00:09.000Z","records":9}}',
  '{"name":null,"$capture":{"control":"start","at":"2026-01-01T00:00:05.000Z"}}',
  '{"name":null,"$capture":{"undecoded":"why","host":"h","path":"/p","seq":4}}',
  '{"name":null,"$capture":{"undecoded":"why","host":"h","path":"/p","format":"raw"}}',
  '{"name":"open","$capture":{"control":null}}',
  '{"name":"open","$capture":7}',
  '{"name":"open","$capture":{"seq":1},"$capture":null}',
  '{"name":7,"time":7}',
  '{"na\\u006de":"open"}',
  '{"name":"\\u006fpen"}',
  '{"name":"open","name":"close"}',
  '{"name":"open","time":"2026-01-01T00:00:01.000Z","time":5}',
];
/** Events whose fields are spelled, or stand, in a way that a look at bytes could take for another. */
const ODD_FIELDS = [
  '{"name":"open","data":{"k":"click"},"data":{"k":1}}',
  '{"name":"open","data":{"k":1},"data":{"Gesture":"click"}}',
  '{"name":"close","data":{"k":"x","k":"click"}}',
  '{"name":"close","data.k":"click"}',
  '{"name":"open","data":{"k":null},"data.k":"click"}',
  '{"name":"open","data":[{"k":"click"}],"data.Gesture":"click"}',
  '{"name":"open","data":{"k.x":1,"Gesture":"Click"}}',
  '{"name":"open","data.deep.k":"click","data":{"deep":{"k":1}}}',
  '{"name":"open","data":{"deep":{"k":"click"},"deep":7}}',
  '{"name":"open","data":{"deep.k":"click"}}',
  '{"name":"open","data":{"__proto__":{"k":"click"}}}',
  '{"name":"open","data":{"\\u006b":"click"}}',
  '{"name":"open","data":{"k":"cl\\u0069ck"}}',
  '{"name":"open","data":{"k":"q\\"q"}}',
  '{"name":"open","data":{"k":"a\\/b","Gesture":"a\\/b"}}',
  '{"name":"open","data":{"k":"q\\u0022q","Gesture":"x\\ty"}}',
  '{"name":"open","data":{"k":1.0}}',
  '{"name":"open","data":{"k":1e0,"Gesture":-2.50}}',
  '{"name":"open","data":{"k":-0,"Gesture":0.0}}',
  '{"name":"open","data":{"k":10e-1,"Gesture":-25e-1}}',
  '{"name":"open","data":{"k":0.99999999999999999,"Gesture":1.0000000000000001}}',
  '{"name":"open","data":{"k":12345678901234567890,"Gesture":1}}',
  '{"name":"open","data":{"k":{"k":"click"},"Gesture":["click"]}}',
  '{"name":"open","data":{"k":[],"Gesture":{}},"k":1}',
  '{"name":"open","data":"click"}',
  '{"name":"open","data":{"k":"\\ud83d\\ude00","Gesture":"\\u00e9"}}',
];
const TIMES = [
  "2026-01-01T00:00:0N.000Z",
  "2026-01-01T00:00:0N.5Z",
  "2026-01-01 00:00:0N",
  "2026-13-01T00:00:0N.000Z",
  "176700000N",
  "é026-01-01T00:00:0N.00Z",
  "2026-01-01T00:00:0N.1234567Z",
  "2026-01-01T00:00:0N.057+00:00",
  "2026-01-01T02:00:0N.123456789+02:00",
  "2025-12-31T23:30:0N-0030",
  "2026-01-01T00:00x0N.000Z",
  "2026-01-01T25:00:0N.000Z",
  "2026-01-01T00:00:0N",
  "2026-01-01t00:00:0Nz",
  "17672256000N0",
  "17672256000N0123456",
  "soon",
];

const CLOCKS = [
  '"2026-01-01T00:00:0N.000Z"',
  '"2026-01-01T00:00:0N.000Z"',
  '"2026-01-01T00:00:0N.7654321Z"',
  '"2026-01-01T01:00:0N.25+01:00"',
  "176722560N",
  "176722560N123",
  "176722560N123456",
  "176722560N123456789",
  '"176722560N123"',
  "N00",
];

/** The case of a seed, always the same. */
export function hostileCase(seed: number): HostileCase {
  const random = seededRandom([seed]);
  const chance = (share: number): boolean => random.below(1000) < share * 1000;
  const context = {
    random,
    chance,
    clean: chance(0.4),
    names: 2 + random.below(NAMES.length - 1),
    seq: chance(0.5) ? 1 : 0,
    clock: random.pick(CLOCKS),
  };
  const lines = Array.from({ length: random.below(chance(0.4) ? 400 : 60) }, () => lineOf(context));
  const start = chance(0.2) ? [`{"name":null,"$capture":{"control":"start","at":"2026-01-01T00:00:00.000Z"}}\n`] : [];
  const bom = chance(0.2) ? ["\ufeff"] : [];
  const text = Buffer.from([...bom, ...start, ...lines].join(""));
  for (let hits = context.clean ? 0 : random.below(3); hits > 0 && text.length > 0; hits--) {
    text[random.below(text.length)] = random.below(256);
  }
  return {
    log: text.subarray(0, chance(0.2) ? random.below(text.length + 1) : text.length),
    scenarios: Array.from({ length: 1 + random.below(2) }, () => scenarioOf(context)),
    blockBytes: lines.length > 60 ? random.pick([500, 4096, 65_536]) : random.pick([16, 61, 256]),
    lineBytes: chance(0.2) ? nearALength(lines, context) : 1 << 24,
  };
}

/** As long as a line, or a byte shorter or longer, as some are over the limit and some just not. */
function nearALength(lines: readonly string[], { random }: Context): number {
  const line = lines.length === 0 ? "" : random.pick(lines);
  return Math.max(20, Buffer.byteLength(line.replace(/[\r\n]+$/, "")) + random.below(3) - 1);
}

interface Context {
  readonly random: Random;
  readonly chance: (share: number) => boolean;
  readonly clean: boolean;
  /** How many of the names occur. */
  readonly names: number;
  seq: number;
  /** How its writer mostly spells times. */
  readonly clock: string;
}

function lineOf(context: Context): string {
  const { random, chance } = context;
  const end = chance(0.1) ? "\r\n" : chance(0.03) ? "\n\n" : "\n";
  if (chance(context.clean ? 0.03 : 0.2)) return random.pick(DAMAGE) + end;
  if (chance(0.1)) return random.pick(ODD_FIELDS) + end;
  const space = (): string => (chance(0.04) ? random.pick([" ", "\t", "  "]) : "");
  const members = [
    ["name", JSON.stringify(random.pick(NAMES.slice(0, context.names)))],
    ...(chance(0.7) ? [["time", timeOf(context)]] : []),
    ["data", `{"k":${anyValue(context)},"Gesture":${anyValue(context)},"deep":{"list":[1,${anyValue(context)}]}}`],
    ...(context.seq > 0 || chance(0.2) ? [["$capture", captureOf(context)]] : []),
  ];
  const body = shuffled(members, context).map(([key, value]) => `${space()}"${key}"${space()}:${space()}${value}`);
  return `${space()}{${body.join(`${space()},`)}${space()}}${space()}${end}`;
}

function timeOf({ random, chance, clock }: Context): string {
  if (chance(0.1)) return random.pick(["null", "{}", "17", "1767225600123", "1767225600123456", "1e3", "[]", "true"]);
  if (chance(0.8)) return clock.replace("N", String(random.below(10)));
  const text = random.pick(TIMES);
  return `"${text.replace("N", String(random.below(10)))}"`;
}

function anyValue({ random, chance }: Context): string {
  const text = JSON.stringify(random.pick(VALUES));
  return chance(0.1) ? text.replace(/[a-z]/, (c) => `\\u00${c.charCodeAt(0).toString(16)}`) : text;
}

function captureOf(context: Context): string {
  const { random, chance } = context;
  if (context.seq > 0) context.seq += chance(0.95) ? 1 : random.below(4) - 1;
  const seq = chance(0.02) ? random.pick(["1.0", "1e1", "-1", '"3"', "12345678901234567890"]) : String(context.seq - 1);
  const members = [
    ...(context.seq > 0 ? [`"seq":${seq}`] : []),
    `"at":${timeOf(context)}`,
    `"host":"${random.pick(["h", "h", "other"])}"`,
    `"path":"${random.pick(["/p", "/q\\u0041"])}"`,
  ];
  return `{${members.join(",")}}`;
}

function shuffled<T>(items: readonly T[], { random, chance }: Context): readonly T[] {
  if (!chance(0.3)) return items;
  const order = items.map((item) => ({ item, key: random.below(1000) }));
  return order.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function scenarioOf(context: Context): { markers: readonly JsonObject[]; events?: JsonObject } {
  const { random, chance } = context;
  const markers = Array.from({ length: 1 + random.below(4) }, () => markerOf(context));
  return chance(0.1) ? { markers, events: { time: random.pick(["ts", "time", "data.k"]) } } : { markers };
}

function markerOf(context: Context): JsonObject {
  const { random, chance } = context;
  if (chance(0.15)) return { any_order: [markerOf(context), markerOf(context)] };
  if (chance(0.1)) return { one_of: [markerOf(context), markerOf(context)] };
  const where: Record<string, JsonValue> = {};
  if (!chance(0.04)) where["event"] = chance(0.2) ? [random.pick(NAMES), random.pick(NAMES)] : random.pick(NAMES);
  if (chance(0.6)) where["data.k"] = random.pick(VALUES);
  if (chance(0.4)) where["data.Gesture"] = random.pick(VALUES);
  if (chance(0.1)) where["data.k|exists"] = true;
  if (chance(0.15)) where["data.deep.k"] = random.pick(VALUES);
  if (chance(0.1)) where["data.Gesture"] = [random.pick(VALUES), random.pick(VALUES)];
  const more: Record<string, JsonValue> = {};
  if (chance(0.1)) more["optional"] = true;
  if (chance(0.1)) more["repeat"] = 2;
  if (chance(0.04)) more["immediately"] = true;
  if (chance(0.04)) more["without"] = { event: random.pick(NAMES) };
  if (chance(0.04)) more["within"] = "2s";
  return { where, ...more };
}
