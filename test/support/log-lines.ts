/** One event line of a proxy's log. */
export function eventLine(name: string, seq: number, more: Record<string, unknown> = {}): string {
  const { capture, ...fields } = more;
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
  const meta = { seq, at, host: "t.example", path: "/v1", format: "ndjson", request: `r${seq}`, index: 0 };
  return `${JSON.stringify({ name, ...fields, $capture: { ...meta, ...(capture as object | undefined) } })}\n`;
}

/** A control line of a proxy's log. */
export function controlLine(control: string, more: Record<string, unknown> = {}): string {
  return `${JSON.stringify({ name: null, $capture: { control, at: "2026-01-01T00:00:00.000Z", ...more } })}\n`;
}
