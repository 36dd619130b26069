import { type Random, seededRandom } from "../examples/chat/random.ts";
import { type BenchMarker, MARKERS } from "./markers.ts";

type Fields = Record<string, unknown>;

/** Makes events as a OneCollector app sends them: nested, 0.5 to 4 KB, some of 50 KB, with unicode and escapes. */
export interface EventSource {
  readonly random: Random;
  /** An event that is none of the markers' events. */
  background(): Fields;
  /** An event of a marker's name whose gesture is none that a marker asks for. */
  lookalike(): Fields;
  /** An event that satisfies a marker. */
  satisfying(marker: BenchMarker): Fields;
  words(count: number): string;
  hex(digits: number): string;
}

const FIRST_EVENT_AT = Date.parse("2026-03-01T08:00:00Z");
const AREAS = ["Panel", "Editor", "Ribbon", "Search", "Sync", "Auth"];
const DEEDS = "Opened Rendered Scrolled Failed Cached Queried Saved Focused Blurred Typed".split(" ");
const WORDS = "render commit layout token cache delta layer frame socket queue worker intent scope signal canvas".split(
  " ",
);
const PHRASES = [
  "naïve café",
  "Grüße aus Köln",
  "会話を切り替え",
  "채팅 전환",
  "😀 ok 👍🏽",
  "Привет",
  "עברית",
  "‘quotes’",
];
const GESTURES = ["click", "hover", "key", "drop", "scroll"];

/** The same seed makes the same events in the same order. */
export function eventSource(seed: number): EventSource {
  const random = seededRandom([seed]);
  const schemas = new Map<string, readonly Property[]>();
  let time = FIRST_EVENT_AT;
  const words = (count: number): string => Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
  const hex = (digits: number): string => {
    let text = "";
    while (text.length < digits) text += random.bits().toString(16).padStart(8, "0");
    return text.slice(0, digits);
  };
  const draw: Draw = { random, words, hex };
  const event = (name: string, gesture: string): Fields => {
    time += random.below(900);
    const schema = schemas.get(name) ?? newSchema(draw);
    schemas.set(name, schema);
    return {
      name,
      time: new Date(time).toISOString(),
      ver: "4.0",
      ...envelope(draw),
      data: dataOf(draw, gesture, schema),
    };
  };
  return {
    ...draw,
    background: () => event(`${random.pick(AREAS)}.${random.pick(DEEDS)}`, random.pick(GESTURES)),
    lookalike: () => event(random.pick(MARKERS).event, "focus"),
    satisfying: (marker) => {
      const made = event(marker.event, "click");
      for (const [path, value] of Object.entries(marker.where)) setPath(made, path.split("."), value);
      return made;
    },
  };
}

type Draw = Pick<EventSource, "random" | "words" | "hex">;

interface Property {
  readonly key: string;
  readonly kind: number;
}

/** Each event name has its own stable set of properties. */
function newSchema({ random }: Draw): Property[] {
  const count = 3 + random.below(12);
  return Array.from({ length: count }, () => ({
    key: `${random.pick(WORDS)}_${random.below(40)}`,
    kind: random.below(10),
  }));
}

function envelope({ random, hex }: Draw): Fields {
  return {
    iKey: `o:${hex(32)}`,
    ext: {
      app: {
        ver: `16.0.${random.below(20000)}`,
        id: "com.example.chat",
        sesId: hex(16),
        locale: random.pick(["en-US", "ja-JP"]),
      },
      user: { localId: `t:${hex(16)}`, id: `c:${hex(12)}` },
      os: { name: random.pick(["Windows", "macOS", "Linux"]), ver: `10.0.${random.below(30000)}` },
      device: { localId: `s:${hex(24)}`, class: "PC" },
      sdk: { ver: `1DS-Web-JS-4.4.${random.below(20)}`, seq: random.below(1e6), epoch: String(random.bits()) },
      mscv: { cV: `${hex(22)}.${random.below(99)}` },
      utc: { popSample: 100, flags: random.below(1e9) },
    },
  };
}

function dataOf(draw: Draw, gesture: string, schema: readonly Property[]): Fields {
  const { random, words, hex } = draw;
  return {
    Action: { Gesture: gesture, Source: random.pick(WORDS), X: random.below(1920), Y: random.below(1080) / 3 },
    Target: { Kind: random.pick(["thread", "pane", "row"]), Path: `/root/${random.pick(WORDS)}/${random.below(99)}` },
    Page: { Url: `https://app.chat.example/c/${hex(8)}?q=${random.pick(WORDS)}`, Title: random.pick(PHRASES) },
    Result: { Ok: random.chance(0.8), Count: random.below(9), Ms: random.bits() / 1e7 },
    Properties: propertiesOf(draw, schema),
    ...(random.chance(0.08) ? { Error: errorOf(draw) } : {}),
    ...(random.chance(0.02) ? { Blob: words(200) } : {}),
    ...(random.chance(0.0005) ? { Dump: words(7000) } : {}),
  };
}

/** One event in five lacks one of its properties. */
function propertiesOf(draw: Draw, schema: readonly Property[]): Fields {
  const left = draw.random.chance(0.2) ? draw.random.below(schema.length) : -1;
  const present = schema.filter((_, index) => index !== left);
  return Object.fromEntries(present.map(({ key, kind }) => [key, drawValue(draw, kind)]));
}

function drawValue({ random, words }: Draw, kind: number): unknown {
  if (kind < 4) return words(1 + random.below(6));
  if (kind < 6) return random.below(1e6);
  if (kind < 7) return random.bits() / 7;
  if (kind < 8) return random.chance(0.5);
  return kind < 9 ? random.pick(PHRASES) : null;
}

function errorOf({ random, words }: Draw): Fields {
  const frame = (): string =>
    `at ${words(2)} (C:\\app\\${random.pick(WORDS)}.js:${random.below(999)}:${random.below(80)})`;
  return {
    Message: `Cannot read "${random.pick(WORDS)}" of undefined\n\tat ${words(3)}`,
    Stack: Array.from({ length: 6 }, frame).join("\n"),
  };
}

function setPath(target: Fields, keys: readonly string[], value: unknown): void {
  const [key = "", ...rest] = keys;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const inner = target[key];
  const next: Fields = typeof inner === "object" && inner !== null ? { ...inner } : {};
  target[key] = next;
  setPath(next, rest, value);
}
