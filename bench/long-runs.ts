import { closeSync, openSync, writeSync } from "node:fs";
import { type Random, seededRandom } from "../examples/chat/random.ts";
import { eventSource } from "./events.ts";

const STEPS = ["open_chat", "pick_contact", "write_text", "send_message", "close_chat"] as const;
const SHARES = [0.15, 0.35, 0.55, 0.75, 0.995];
const LINES_AT_ONCE = 1000;
const FIRST_EVENT_AT = Date.parse("2026-03-01T08:00:00Z");

/** What the events of a long run are like beside their five deeds in one order. */
export const RUN_KINDS = {
  plain: "540 bytes; few kinds of event, with ids and times that never come twice",
  varied: "540 bytes; 60 names whose fields vary all at once, so that hardly two events are equal",
} as const;

export type RunKind = keyof typeof RUN_KINDS;

/** The event at a place in its run. */
type EventAt = (at: number) => object;

/**
 * Writes a good run of so many events to a file: five deeds in one order among what an app tells of itself. The same kind
 * and seed give the same bytes.
 */
export function writeLongRun(file: string, seed: number, events: number, kind: RunKind = "plain"): void {
  const eventAt = EVENTS[kind](seed, events);
  const handle = openSync(file, "w");
  try {
    for (let done = 0; done < events; done += LINES_AT_ONCE) {
      let block = "";
      for (let at = done; at < Math.min(events, done + LINES_AT_ONCE); at++)
        block += `${JSON.stringify(eventAt(at))}\n`;
      writeSync(handle, block);
    }
  } finally {
    closeSync(handle);
  }
}

const EVENTS: Readonly<Record<RunKind, (seed: number, events: number) => EventAt>> = {
  plain(seed, events) {
    const random = seededRandom([seed]);
    let time = FIRST_EVENT_AT;
    return (at) => {
      time += random.below(900);
      const name = deedAt(at, events) ?? `Ui.${["Rendered", "Scrolled", "Focused", "Queried"][at % 4]}${at % 10}`;
      return { name, time: new Date(time).toISOString(), ...bodyAt(at, random) };
    };
  },
  varied(seed, events) {
    const source = eventSource(seed);
    return (at) => {
      const { name, time, ver, ext, data } = source.background() as unknown as Varied;
      const { app, user, os } = ext;
      const { Action, Target, Page, Result } = data;
      return {
        name: deedAt(at, events) ?? name,
        time,
        ver,
        ext: { app, user, os },
        data: { Action, Target, Page, Result },
      };
    };
  },
};

/** What is taken over of an event of the other benches, which are twice as long. */
interface Varied {
  readonly name: string;
  readonly time: string;
  readonly ver: string;
  readonly ext: Readonly<Record<"app" | "user" | "os", object>>;
  readonly data: Readonly<Record<"Action" | "Target" | "Page" | "Result", object>>;
}

function deedAt(at: number, events: number): string | undefined {
  return STEPS[SHARES.findIndex((share) => Math.floor(share * events) === at)];
}

function bodyAt(at: number, random: Random): object {
  const same = "0123456789abcdef".repeat(2);
  return {
    ver: "4.0",
    iKey: `o:${same}`,
    ext: {
      app: { ver: "16.0.1", id: "com.example.chat", sesId: idOf(random), locale: "en-US" },
      user: { localId: `t:${same}` },
      device: { class: "PC", localId: `s:${same}` },
    },
    data: {
      Action: { Gesture: ["click", "hover", "key"][at % 3], Source: ["pane", "row"][at % 2] },
      Target: { Kind: "thread", Id: idOf(random) },
      Result: { Ok: true, Ms: random.bits() / 1e7 },
      Text: "a sentence that the app says of what it has just done",
      seq: at,
    },
  };
}

function idOf(random: Random): string {
  return random.bits().toString(16).padStart(8, "0") + random.bits().toString(16).padStart(8, "0");
}
