import type { Decoder } from "../decoders/decoder.ts";
import { DECODERS } from "../decoders/index.ts";
import { waymarkError } from "../record/fault.ts";
import type { FormatSpec } from "./format.ts";
import { formatDecoder } from "./format-decoder.ts";
import { loadDecoders } from "./module-decoder.ts";

export type { FormatSpec } from "./format.ts";

/** What a user adds to the formats that waymark knows. Plain data. */
export interface OwnFormats {
  readonly formats?: readonly FormatSpec[];
  /** Files of decoders in JavaScript. */
  readonly decoders?: readonly string[];
}

/**
 * The user's own decoders, then waymark's: of those that are certain the first one reads. Throws `WM_FORMAT_DECODER` for
 * a file that holds no decoder, and for a name that another one has.
 */
export async function withOwnFormats({ formats = [], decoders = [] }: OwnFormats): Promise<readonly Decoder[]> {
  const loaded = (await Promise.all(decoders.map(loadDecoders))).flat();
  const own = [...loaded, ...formats.map(formatDecoder)];
  const names = new Set(DECODERS.map(({ name }) => name));
  for (const { name } of own) {
    if (names.has(name)) throw waymarkError("WM_FORMAT_DECODER", `there are two decoders called "${name}"`);
    names.add(name);
  }
  return [...own, ...DECODERS];
}
