import type { Decoder } from "./decoder.ts";
import { json } from "./json.ts";
import { ndjson } from "./ndjson.ts";
import { oneCollector } from "./onecollector.ts";
import { otlp } from "./otlp.ts";
import { raw } from "./raw.ts";
import { sentry } from "./sentry.ts";

/** Every decoder, the particular before the general; of two with the same score the earlier one reads the body. */
export const DECODERS: readonly Decoder[] = [oneCollector, otlp, sentry, ndjson, json, raw];
