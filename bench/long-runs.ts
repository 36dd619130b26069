import { closeSync, openSync, writeSync } from "node:fs";
import { type Random, seededRandom } from "../examples/chat/random.ts";

const STEPS = ["open_chat", "pick_contact", "write_text", "send_message", "close_chat"] as const;
const SHARES = [0.15, 0.35, 0.55, 0.75, 0.995];
const LINES_AT_ONCE = 1000;
const FIRST_EVENT_AT = Date.parse("2026-03-01T08:00:00Z");

/**
 * Writes a good run of so many events, some 540 bytes each, to a file: five deeds in one order among what an app tells of
 * itself, with ids and times that never come twice. The same seed gives the same bytes.
 */
export function writeLongRun(file: string, seed: number, events: number): void {
  const random = seededRandom([seed]);
  const handle = openSync(file, "w");
  try {
    let time = FIRST_EVENT_AT;
    for (let done = 0; done < events; done += LINES_AT_ONCE) {
      let block = "";
      for (let at = done; at < Math.min(events, done + LINES_AT_ONCE); at++) {
        time += random.below(900);
        block += `${JSON.stringify({ ...nameAt(at, events), time: new Date(time).toISOString(), ...bodyAt(at, random) })}\n`;
      }
      writeSync(handle, block);
    }
  } finally {
    closeSync(handle);
  }
}

function nameAt(at: number, events: number): { readonly name: string } {
  const step = STEPS[SHARES.findIndex((share) => Math.floor(share * events) === at)];
  return { name: step ?? `Ui.${["Rendered", "Scrolled", "Focused", "Queried"][at % 4]}${at % 10}` };
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
