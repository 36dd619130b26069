import { waymarkError } from "../proxy/record/fault.ts";

/** Reads `--param name=value` options. Values stay text here; each scenario reads them as the types it declares. */
export function paramValues(given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw waymarkError("WM_USAGE_PARAM", `--param got "${text}", which is not NAME=VALUE`);
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
  );
}
