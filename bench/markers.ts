/** What every grading program of the bench looks for: five events in order, each with the values of some of its fields. */
export interface BenchMarker {
  readonly name: string;
  readonly event: string;
  readonly where: Readonly<Record<string, string | number | boolean>>;
}

export const MARKERS: readonly BenchMarker[] = [
  { name: "chat opened", event: "chat_open", where: { "data.Action.Gesture": "click" } },
  {
    name: "thread switched",
    event: "chat_switch",
    where: { "data.Action.Gesture": "click", "data.Target.Kind": "thread" },
  },
  { name: "file attached", event: "file_attach", where: { "data.Action.Gesture": "drop", "data.Result.Ok": true } },
  { name: "message sent", event: "message_send", where: { "data.Action.Gesture": "key", "data.Result.Count": 3 } },
  { name: "session ended", event: "session_end", where: { "ext.app.sesId": "final-0001" } },
];

/** A scenario file with the markers; `lineBytes` raises the limit on a line's length. */
export function scenarioYaml(name: string, lineBytes?: number): string {
  const limits = lineBytes === undefined ? "" : `limits: { line_bytes: ${lineBytes} }\n`;
  const items = MARKERS.map(({ name: marker, event, where }) => {
    const tests = Object.entries(where).map(([path, value]) => `      ${path}: ${JSON.stringify(value)}\n`);
    return `  - name: ${marker}\n    event: ${event}\n    where:\n${tests.join("")}`;
  });
  return `waymark: 1\nscenario: ${name}\n${limits}markers:\n${items.join("")}`;
}

/** The same markers for the plain loops: a list of lists of [dot path, value]. */
export function markersJson(): string {
  return JSON.stringify(MARKERS.map(({ event, where }) => [["name", event], ...Object.entries(where)]));
}
