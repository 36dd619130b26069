import { waymarkError } from "../proxy/record/fault.ts";

const DURATION_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SIZE_BYTES = { B: 1, KB: 1000, MB: 1000 ** 2, GB: 1000 ** 3, KIB: 1024, MIB: 1024 ** 2, GIB: 1024 ** 3 } as const;

/** `500ms`, `30s`, `2m`, `1h`, `7d` in milliseconds; a bare number is an error, because its unit would be a guess. */
export function durationMs(option: string, text: string): number {
  const groups = /^(?<count>[0-9]+(?:\.[0-9]+)?)(?<unit>ms|s|m|h|d)$/.exec(text.trim())?.groups;
  const unit = groups?.["unit"] as keyof typeof DURATION_MS | undefined;
  if (groups === undefined || unit === undefined) {
    throw waymarkError("WM_USAGE_DURATION", `--${option} got "${text}", which is no duration`);
  }
  return Number(groups["count"]) * DURATION_MS[unit];
}

/** `500KB`, `64MB`, `1GiB` in bytes; KB is 1000 and KiB 1024; a bare number counts bytes. */
export function sizeBytes(option: string, text: string): number {
  const groups = /^(?<count>[0-9]+(?:\.[0-9]+)?)\s*(?<unit>[KMG]?i?B)?$/i.exec(text.trim())?.groups;
  const unit = (groups?.["unit"] ?? "B").toUpperCase();
  if (groups === undefined || !(unit in SIZE_BYTES)) {
    throw waymarkError("WM_USAGE_SIZE", `--${option} got "${text}", which is no size`);
  }
  return Math.round(Number(groups["count"]) * SIZE_BYTES[unit as keyof typeof SIZE_BYTES]);
}

/** A whole number from `min` to `max`, written in decimal digits. */
export function wholeNumber(option: string, text: string, { min, max }: { min: number; max: number }): number {
  const value = /^[0-9]{1,15}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw waymarkError(
      "WM_USAGE_NOT_A_NUMBER",
      `--${option} got "${text}"; it takes a whole number from ${min} to ${max}`,
    );
  }
  return value;
}
