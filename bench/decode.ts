import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DecodableExchange, Decoder } from "../proxy/decoders/decoder.ts";
import { DECODERS } from "../proxy/decoders/index.ts";
import { readExchange } from "../proxy/pipeline/reading.ts";
import type { Exchange } from "../proxy/record/exchange.ts";
import { PROJECT } from "../test/support/project.ts";
import { exchangeFromBytes } from "../test/support/requests.ts";

const MAX_INFLATED_BYTES = 1 << 26;
/** Bytes decoded between two looks at the clock. */
const BATCH_BYTES = 1_000_000;
const ROUNDS = 7;

/** Speed of one decoder over its captured requests, again and again. */
export interface DecodeSpeed {
  readonly decoder: string;
  readonly requests: number;
  /** Bytes of an inflated body with its target, on average. */
  readonly bytesPerRequest: number;
  /** Megabytes (10^6) per second of processor time: recognising and decoding an inflated body. */
  readonly decodeMBps: number;
  /** The same with finding the decoder among all and taking off the content coding. */
  readonly readMBps: number;
}

interface Capture {
  readonly sent: Exchange;
  readonly inflated: DecodableExchange;
  readonly bytes: number;
}

/**
 * Measures every decoder on captured requests: those of the tests, or all `.req` files below a folder. Processor time, the
 * best of several rounds, so that other programs on the machine count as little as can be.
 */
export function benchDecode(folder: string = join(PROJECT, "test", "fixtures", "formats")): DecodeSpeed[] {
  const byDecoder = capturesIn(folder);
  return [...byDecoder]
    .map(([decoder, captures]) => speedOf(decoder, captures))
    .sort((a, b) => a.decodeMBps - b.decodeMBps);
}

function capturesIn(folder: string): ReadonlyMap<Decoder, Capture[]> {
  const byDecoder = new Map<Decoder, Capture[]>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".req"));
  for (const file of files.sort()) {
    const sent = exchangeFromBytes(readFileSync(join(folder, file)));
    const { exchange: inflated, events, decoder } = readExchange(sent, DECODERS, MAX_INFLATED_BYTES);
    if (events.length === 0 || decoder === undefined) continue;
    const capture = { sent, inflated, bytes: inflated.body.length + inflated.target.length };
    byDecoder.set(decoder, [...(byDecoder.get(decoder) ?? []), capture]);
  }
  return byDecoder;
}

function speedOf(decoder: Decoder, captures: readonly Capture[]): DecodeSpeed {
  const bytes = captures.reduce((sum, capture) => sum + capture.bytes, 0);
  const repeats = Math.max(1, Math.ceil(BATCH_BYTES / bytes));
  const batch = Array.from({ length: repeats }, () => captures).flat();
  const decode = best(
    bytes * repeats,
    // what was parsed of an exchange is remembered with it, so each is a new one
    () => batch.map(({ inflated }) => ({ ...inflated })),
    (exchange) => {
      if (decoder.score(exchange) > 0) decoder.decode(exchange);
    },
  );
  const read = best(
    bytes * repeats,
    () => batch.map(({ sent }) => sent),
    (exchange) => void readExchange(exchange, DECODERS, MAX_INFLATED_BYTES),
  );
  return {
    decoder: decoder.name,
    requests: captures.length,
    bytesPerRequest: Math.round(bytes / captures.length),
    decodeMBps: decode,
    readMBps: read,
  };
}

function best<T>(bytes: number, prepare: () => readonly T[], work: (item: T) => void): number {
  let fastest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const items = prepare();
    const before = process.cpuUsage();
    for (const item of items) work(item);
    const { user, system } = process.cpuUsage(before);
    fastest = Math.max(fastest, bytes / Math.max(1, user + system));
  }
  return fastest;
}

export function decodeTable(speeds: readonly DecodeSpeed[]): string {
  const rows = speeds.map(({ decoder, requests, bytesPerRequest, decodeMBps, readMBps }) => {
    const size = String(bytesPerRequest).padStart(7);
    return `${decoder.padEnd(22)} ${String(requests).padStart(8)} ${size} ${decodeMBps.toFixed(1).padStart(9)} ${readMBps.toFixed(1).padStart(9)}`;
  });
  return [
    "decode: MB of bodies per second of processor time, captured requests repeated",
    `${"decoder".padEnd(22)} requests bytes/r    decode    + find`,
    ...rows,
    "",
  ].join("\n");
}
