import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Decoder } from "../proxy/decoders/decoder.ts";
import { DECODERS } from "../proxy/decoders/index.ts";
import { readExchange } from "../proxy/pipeline/reading.ts";
import type { Exchange } from "../proxy/record/exchange.ts";
import { PROJECT } from "../test/support/project.ts";
import { exchangeFromBytes } from "../test/support/requests.ts";
import { median, table } from "./numbers.ts";

const MAX_INFLATED_BYTES = 1 << 26;
/** Bytes decoded between two looks at the clock. */
const BATCH_BYTES = 500_000;
/** Batches of every decoder before any is timed: code that all share has its final form only once all have used it. */
const WARM_ROUNDS = 6;
const ROUNDS = 9;

/**
 * Speed of one decoder over its captured requests, again and again, in megabytes (10^6) per second of processor time: the
 * median of the rounds.
 */
export interface DecodeSpeed {
  readonly decoder: string;
  readonly requests: number;
  /** Bytes of an inflated body with its target, on average. */
  readonly bytesPerRequest: number;
  /** Recognising and decoding an inflated body. */
  readonly decodeMBps: number;
  /** The same with finding the decoder among all. */
  readonly findMBps: number;
  /** The same with taking off the content coding as well. */
  readonly readMBps: number;
}

interface Subject {
  readonly decoder: string;
  readonly requests: number;
  /** Of all its requests once. */
  readonly bytes: number;
  readonly ways: Readonly<Record<"decodeMBps" | "findMBps" | "readMBps", Way>>;
}

interface Way {
  /** Goes over all requests once. */
  readonly pass: () => void;
  /** One for each round so far. */
  readonly speeds: number[];
}

/**
 * Measures every decoder on captured requests: those of the tests, or all `.req` files below a folder. The decoders take
 * turns, round after round, after all have been warmed up: none is favoured by its place in the list or by what else the
 * machine did for a while.
 */
export function benchDecode(folder: string = join(PROJECT, "test", "fixtures", "formats")): DecodeSpeed[] {
  const subjects = [...capturesIn(folder)].map(([decoder, captures]) => subjectOf(decoder, captures));
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const subject of subjects) measure(subject, round >= WARM_ROUNDS);
  }
  return subjects
    .map(({ decoder, requests, bytes, ways: { decodeMBps, findMBps, readMBps } }) => ({
      decoder,
      requests,
      bytesPerRequest: Math.round(bytes / requests),
      decodeMBps: median(decodeMBps.speeds),
      findMBps: median(findMBps.speeds),
      readMBps: median(readMBps.speeds),
    }))
    .sort((a, b) => a.decodeMBps - b.decodeMBps);
}

function capturesIn(folder: string): ReadonlyMap<Decoder, Exchange[]> {
  const byDecoder = new Map<Decoder, Exchange[]>();
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".req"));
  for (const file of files.sort()) {
    const sent = exchangeFromBytes(readFileSync(join(folder, file)));
    const { events, decoder } = readExchange(sent, DECODERS, MAX_INFLATED_BYTES);
    if (events.length === 0 || decoder === undefined) continue;
    byDecoder.set(decoder, [...(byDecoder.get(decoder) ?? []), sent]);
  }
  return byDecoder;
}

function subjectOf(decoder: Decoder, sent: readonly Exchange[]): Subject {
  const inflated = sent.map((exchange) => readExchange(exchange, DECODERS, MAX_INFLATED_BYTES).exchange);
  const plain = sent.map((exchange, index) => plainOf(exchange, inflated[index]?.body ?? exchange.body));
  const way = (pass: () => void): Way => ({ pass, speeds: [] });
  return {
    decoder: decoder.name,
    requests: sent.length,
    bytes: inflated.reduce((sum, { body, target }) => sum + body.length + target.length, 0),
    ways: {
      decodeMBps: way(() => {
        for (const exchange of inflated) {
          // what was parsed of an exchange is remembered with it, so each is a new one
          const fresh = { ...exchange };
          if (decoder.score(fresh) > 0) decoder.decode(fresh);
        }
      }),
      findMBps: way(() => readAll(plain)),
      readMBps: way(() => readAll(sent)),
    },
  };
}

function plainOf(exchange: Exchange, body: Uint8Array): Exchange {
  const headers = exchange.headers.filter(([name]) => name.toLowerCase() !== "content-encoding");
  return { ...exchange, headers, body };
}

function readAll(exchanges: readonly Exchange[]): void {
  for (const exchange of exchanges) readExchange(exchange, DECODERS, MAX_INFLATED_BYTES);
}

/** One batch of each way; a warm-up is not noted. */
function measure({ bytes, ways }: Subject, isTimed: boolean): void {
  const repeats = Math.ceil(BATCH_BYTES / bytes);
  for (const { pass, speeds } of Object.values(ways)) {
    const before = process.cpuUsage();
    for (let count = 0; count < repeats; count++) pass();
    const { user, system } = process.cpuUsage(before);
    if (isTimed) speeds.push((bytes * repeats) / Math.max(1, user + system));
  }
}

/** The figures as text, the slowest decoder first. */
export function decodeTable(speeds: readonly DecodeSpeed[]): string {
  const rows = speeds.map(({ decoder, requests, bytesPerRequest, decodeMBps, findMBps, readMBps }) => [
    decoder,
    String(requests),
    String(bytesPerRequest),
    ...[decodeMBps, findMBps, readMBps].map((speed) => speed.toFixed(1)),
  ]);
  const head = ["decoder", "requests", "bytes/r", "decode", "+ find", "+ inflate"];
  return `decode: MB of bodies per second of processor time, captured requests repeated\n${table(head, rows)}`;
}
