import type { Random } from "./random.ts";
import type { Telemetry } from "./telemetry.ts";

/**
 * Faults that can be planted, to measure whether the right side gets the blame. Of the app, after a right action:
 * `silent` shows nothing of the chat, `lost` leaves out one message, `mixed up` shows messages of another chat,
 * `blank` shows a message without its text, `untold` does not tell of the click. Of the agent: `skip` leaves a chat out,
 * `stray` opens another chat in its place, `swap` opens two in the wrong order. `cut` is nobody's: what comes after some
 * click is not told at all, as when the app is killed or the line is down.
 */
export const FAULTS = {
  app: ["silent", "lost", "mixed up", "blank", "untold"],
  agent: ["skip", "stray", "swap"],
  nobody: ["cut"],
} as const;

export type FaultSide = keyof typeof FAULTS;
export type FaultKind = (typeof FAULTS)[FaultSide][number];

/** Name of the variable by which a bench plants a fault; people who try the demo never meet it. */
export const FAULT_VARIABLE = "CHAT_FAULT";

/** The fault that a variable's text names; undefined for none. Throws an Error on a name that is no fault. */
export function readFault(text: string | undefined): FaultKind | undefined {
  if (text === undefined || text === "") return undefined;
  const kind = Object.values(FAULTS)
    .flat()
    .find((known) => known === text);
  if (kind === undefined) throw new Error(`${FAULT_VARIABLE} names no fault: "${text}"`);
  return kind;
}

/** The chats an agent opens when it goes wrong in this way, once, at a place of its own; all of them otherwise. */
export function strayPlan(chats: readonly string[], fault: FaultKind | undefined, random: Random): readonly string[] {
  const at = random.below(chats.length);
  if (fault === "skip") return chats.filter((_, index) => index !== at);
  if (fault === "stray") {
    const wrong = random.pick(chats.filter((_, index) => index !== at));
    return chats.map((chat, index) => (index === at ? wrong : chat));
  }
  if (fault !== "swap") return chats;
  const first = at % (chats.length - 1);
  return chats.map((chat, index) => chats[index === first ? first + 1 : index === first + 1 ? first : index] ?? chat);
}

/** Telemetry of an app that misbehaves in this way, once, after one of `opens` clicks; as it is otherwise. */
export function faultyTelemetry(
  telemetry: Telemetry,
  fault: FaultKind | undefined,
  { random, opens }: { readonly random: Random; readonly opens: number },
): Telemetry {
  const at = 1 + random.below(opens);
  const which = random.below(2);
  let clicks = 0;
  return {
    close: (patienceMs) => telemetry.close(patienceMs),
    track(name, data) {
      if (name === "chat_switch") clicks++;
      const isCut = fault === "cut" && (clicks > at || (clicks === at && name !== "chat_switch"));
      if (isCut) return;
      const told = clicks === at ? misbehave(fault, { name, data, which }) : data;
      if (told !== undefined) telemetry.track(name, told);
    },
  };
}

interface Told {
  readonly name: string;
  readonly data: Record<string, unknown>;
  /** Which message of the chat it happens to. */
  readonly which: number;
}

/** What the app tells instead of this event; undefined for nothing. */
function misbehave(fault: FaultKind | undefined, { name, data, which }: Told): Record<string, unknown> | undefined {
  if (name === "chat_switch") return fault === "untold" ? undefined : data;
  if (name !== "message_rendered") return data;
  if (fault === "silent") return undefined;
  if (fault === "mixed up") return { ...data, chatId: data["chatId"] === "general" ? "random" : "general" };
  if (data["index"] !== which) return data;
  if (fault === "lost") return undefined;
  return fault === "blank" ? { ...data, length: 0 } : data;
}
