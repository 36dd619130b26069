const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `10s`, `2m` in milliseconds; undefined for anything else. A bare number has no unit and is none. */
export function parseDuration(text: string): number | undefined {
  const groups = /^(?<count>[0-9]{1,9}(?:\.[0-9]{1,6})?)(?<unit>ms|s|m|h|d)$/.exec(text.trim())?.groups;
  const unit = UNIT_MS[groups?.["unit"] ?? ""];
  return groups === undefined || unit === undefined ? undefined : Number(groups["count"]) * unit;
}

/** A duration as people write it: `10 s`, `250 ms`. */
export function showWait(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 100) / 10} s`;
}
