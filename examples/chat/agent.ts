import { request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { type FaultKind, strayPlan } from "./faults.ts";
import type { Random } from "./random.ts";

/** A fault the agent is made to have, and where it has it. */
export interface PlantedFault {
  readonly kind: FaultKind;
  readonly random: Random;
}

/** What the agent says about its own work. It never looks whether it is true. */
export interface SelfReport {
  readonly claim: "done";
  readonly task: string;
  readonly summary: string;
}

const TASK = "open the five chats in order";
/** How often the agent does what it is asked, unless told otherwise. */
export const DEFAULT_SUCCESS = 0.8;
const SLOW = 0.15;

/**
 * A flaky agent. It drives the app at `url` over HTTP to open every chat of its list in order. With probability `success`
 * it does; else it loses its place once: it opens the chat it is already in again, instead of the next one, and goes on.
 * It claims to be done either way. All its choices, the harmless ones too, come from `random`. Throws when the app does
 * not answer.
 */
export async function runAgent(
  url: string,
  random: Random,
  success = DEFAULT_SUCCESS,
  fault?: PlantedFault,
): Promise<SelfReport> {
  const asked = chatIds(await call(url, "GET", "/chats"));
  const chats = fault === undefined ? asked : strayPlan(asked, fault.kind, fault.random);
  const lapseAt = random.chance(1 - success) ? 1 + random.below(chats.length - 1) : undefined;
  const slowAt = random.chance(SLOW) ? random.below(chats.length) : undefined;
  for (const [step, chat] of chats.entries()) {
    await pause(step === slowAt ? 150 + random.below(150) : 10 + random.below(40));
    await fidget(url, random, chat);
    const clicked = step === lapseAt ? (chats[step - 1] ?? chat) : chat;
    await call(url, "POST", "/open", { chat: clicked });
  }
  await pause(random.below(40));
  return { claim: "done", task: TASK, summary: `Opened all ${asked.length} chats in order.` };
}

/** Things people and agents do on the way that do not matter. */
async function fidget(url: string, random: Random, chat: string): Promise<void> {
  if (random.chance(0.5)) await call(url, "POST", "/hover", { chat });
  if (random.chance(0.3)) await call(url, "POST", "/scroll", { rows: 1 + random.below(5) });
  if (random.chance(0.25)) await call(url, "POST", "/toggle", { panel: random.pick(["details", "emoji", "search"]) });
}

function chatIds(answer: unknown): string[] {
  if (!Array.isArray(answer)) throw new Error("the app's chat list is no list");
  return answer.map((chat: unknown) => {
    const id = typeof chat === "object" && chat !== null && "id" in chat ? chat.id : undefined;
    if (typeof id !== "string") throw new Error("a chat of the app's list has no id");
    return id;
  });
}

function call(url: string, method: "GET" | "POST", path: string, body?: Record<string, unknown>): Promise<unknown> {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { method, headers }, (answer) => {
      let reply = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        reply += chunk;
      });
      answer.on("error", reject);
      answer.on("end", () =>
        answer.statusCode === 200 ? resolve(JSON.parse(reply)) : reject(new Error(`${path} answered ${reply}`)),
      );
    });
    sent.on("error", reject);
    sent.end(text);
  });
}
