import { gunzipSync, gzipSync } from "node:zlib";
import { waymarkError } from "../../proxy/record/fault.ts";
import { isObject, type JsonObject, type JsonValue, parseJson, stringifyJson } from "../../proxy/record/json.ts";
import { Distiller, type Words } from "./distil.ts";
import type { LearnOptions } from "./model.ts";
import type { Picture } from "./pictures/compare.ts";
import type { Ruling } from "./pictures/looks.ts";
import type { Corpus, Item, Trace } from "./trace.ts";

/** What is kept beside a learned scenario: enough to add a run without the old ones, and to know what a person took out. */
export interface LearnState {
  readonly corpus: Corpus;
  readonly words: Words;
  readonly endless: readonly string[];
  readonly options: LearnOptions;
  /** Names of what was written, by list, and of what a person took out again. */
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

const SCHEMA = "waymark.learned/1";

/** Where the state of a scenario file is kept: `checkout.yaml` has `checkout.learned.gz` beside it. */
export function stateFile(scenario: string): string {
  return `${scenario.replace(/\.ya?ml$/i, "")}.learned.gz`;
}

/** The state as the bytes of its file; the same for the same state. */
export function packState({ corpus, words, endless, options, written, removed }: LearnState): Buffer {
  const traces = corpus.traces.map(({ items, times, params, pictures }) => ({
    items: [...items],
    ...(times === undefined ? {} : { times: [...times] }),
    params: Object.fromEntries(params),
    ...(pictures === undefined ? {} : { pictures: [...pictures] }),
  }));
  const pictures = corpus.pictures?.map(packPicture);
  const seen = { ...(pictures === undefined ? {} : { pictures }), ...(corpus.rulings && { rulings: corpus.rulings }) };
  const items = corpus.items.map(packItem);
  const body = { schema: SCHEMA, options, words, endless, written, removed, items, traces, ...seen };
  return gzipSync(stringifyJson(body as unknown as JsonValue), { level: 6 });
}

/** Reads a state back. Throws `WM_LEARN_STATE` on bytes that are none, or are of a newer kind. */
export function unpackState(bytes: Buffer, file: string): LearnState {
  const body = readBody(bytes, file);
  if (body["schema"] !== SCHEMA)
    throw waymarkError("WM_LEARN_STATE", `${file} is of another version: ${String(body["schema"])}`);
  const { options, words, endless, written, removed, items, traces, pictures, rulings } = body as unknown as Packed;
  return {
    options,
    words,
    endless,
    written,
    removed,
    corpus: {
      items: items.map((item): Item => ({ ...item, outcome: item.outcome, writes: item.writes })),
      traces: traces.map(
        ({ items: own, times, params, pictures: shown }): Trace => ({
          items: Int32Array.from(own),
          params: new Map(Object.entries(params)),
          ...(times === undefined ? {} : { times: Float64Array.from(times) }),
          ...(shown === undefined ? {} : { pictures: new Map(shown) }),
        }),
      ),
      ...(pictures === undefined ? {} : { pictures: pictures.map(unpackPicture) }),
      ...(rulings === undefined ? {} : { rulings }),
    },
  };
}

/** A distiller that already holds the runs of a state. */
export function resume({ corpus, words, endless }: LearnState): Distiller {
  const distiller = new Distiller();
  distiller.restore(corpus, endless, words);
  return distiller;
}

interface Packed extends Omit<LearnState, "corpus"> {
  readonly items: readonly Item[];
  readonly traces: readonly {
    readonly items: readonly number[];
    readonly times?: readonly number[];
    readonly params: JsonObject;
    readonly pictures?: readonly (readonly [number, string])[];
  }[];
  readonly pictures?: readonly PackedPicture[];
  readonly rulings?: readonly Ruling[];
}

/** A picture in JSON: its pixels in Base64, its hash as digits. */
interface PackedPicture extends Omit<Picture, "small" | "hash"> {
  readonly hash: string;
  readonly width: number;
  readonly height: number;
  readonly pixels: string;
}

function packPicture({ small, hash, ...rest }: Picture): PackedPicture {
  const pixels = Buffer.from(small.pixels).toString("base64");
  return { ...rest, hash: String(hash), width: small.width, height: small.height, pixels };
}

function unpackPicture({ hash, width, height, pixels, ...rest }: PackedPicture): Picture {
  const small = { width, height, pixels: new Uint8Array(Buffer.from(pixels, "base64")) };
  return { ...rest, hash: BigInt(hash), small };
}

function packItem(item: Item): JsonValue {
  const { outcome, writes, ...rest } = item;
  return {
    ...rest,
    ...(outcome === undefined ? {} : { outcome }),
    ...(writes === undefined ? {} : { writes }),
  } as unknown as JsonValue;
}

function readBody(bytes: Buffer, file: string): JsonObject {
  try {
    const body = parseJson(gunzipSync(bytes).toString("utf8"));
    if (isObject(body)) return body;
  } catch (cause) {
    throw waymarkError("WM_LEARN_STATE", `${file} cannot be read`, { cause });
  }
  throw waymarkError("WM_LEARN_STATE", `${file} holds no JSON object`);
}
