import { formatFiles } from "../proxy/formats/format-files.ts";
import type { OwnFormats } from "../proxy/formats/index.ts";
import type { Arguments, OptionSpec } from "./verb.ts";

/** Folder whose format files are always read. */
const FOLDER = "formats";

/** Options of every verb that captures: formats and decoders of the user's own. */
export const FORMAT_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  format: {
    kind: "list",
    value: "FILE",
    describe: "a format of your own, in YAML, besides those in the folder formats/",
  },
  decoder: { kind: "list", value: "FILE", describe: "a decoder of your own, in JavaScript" },
};

/**
 * The user's own formats: all in the folder `formats/`, and those named by `--format` and `--decoder`. Throws
 * WM_FORMAT_UNREADABLE, WM_FORMAT_YAML and WM_FORMAT_INVALID with every problem of the files at once.
 */
export async function ownFormats(args: Arguments): Promise<OwnFormats> {
  const files = [...new Set([...formatFiles(FOLDER), ...args.list("format")])];
  const decoders = args.list("decoder");
  if (files.length === 0) return { formats: [], decoders };
  const { loadFormats } = await import("../proxy/formats/load.ts"); // half a megabyte of YAML, zod and re2js
  return { formats: loadFormats(files), decoders };
}
