import type { Reporter } from "../reporter.ts";
import { json } from "./json.ts";
import { plain } from "./plain.ts";
import { pretty } from "./pretty.ts";

/** Every reporter, in the order `--help` lists them. */
export const REPORTERS: readonly Reporter[] = [pretty, plain, json];
