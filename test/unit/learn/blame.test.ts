import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../examples/chat/random.ts";
import { type Blame, blameRun } from "../../../grader/learn/blame.ts";
import { learnRuns } from "../../../grader/learn/learn.ts";
import type { HeldRun } from "../../../grader/learn/predict.ts";
import { call, heldRun, type Short } from "../../support/learning.ts";

const CHATS = ["design", "ops", "sales", "legal", "lunch"];

/** What the demo's chat app tells when a chat is opened: the gesture, then what it showed. */
function opened(chat: string): readonly Short[] {
  return [
    ["chat_switch", { Action: { Gesture: "click" }, chatId: chat }],
    ["message_rendered", { chatId: chat, index: 0 }],
    ["message_rendered", { chatId: chat, index: 1 }],
  ];
}

function chatRun(name: string, events: readonly (readonly Short[])[], seed: number): HeldRun {
  const random = seededRandom([seed]);
  const fidgets = (): readonly Short[] =>
    random.chance(0.15) ? [["list_scrolled", { Action: { Gesture: "scroll" }, rows: random.below(5) }]] : [];
  return heldRun(name, ["session_start", ...events.flatMap((own) => [...fidgets(), ...own]), "session_end"]);
}

const GOOD = [1, 2, 3, 4].map((seed) => chatRun(`good${seed}`, CHATS.map(opened), seed));
const LEARNED = learnRuns(GOOD, "chats");

function causeOf(run: HeldRun): Blame["cause"] {
  return blameRun(LEARNED.model, LEARNED.text, run).cause;
}

test("planted faults of the app and of the agent are told apart, 100 runs each", () => {
  const tally = { app: new Map<string, number>(), agent: new Map<string, number>() };
  const count = (kind: keyof typeof tally, cause: string): void =>
    void tally[kind].set(cause, (tally[kind].get(cause) ?? 0) + 1);
  for (let seed = 0; seed < 100; seed++) {
    const random = seededRandom([seed, 7]);
    const at = random.below(CHATS.length);
    const faulty = CHATS.map(opened).map((own, index): readonly Short[] => {
      if (index !== at) return own;
      const [gesture, ...shown] = own as [Short, ...Short[]];
      if (random.chance(0.5)) return [gesture, ...shown.slice(1)];
      return [gesture, ["message_rendered", { chatId: "wrong", index: 0 }], ...shown.slice(1)];
    });
    count("app", causeOf(chatRun("app", faulty, seed)));
    const isLeftOut = random.chance(0.5);
    const chats = isLeftOut
      ? CHATS.filter((_, index) => index !== at)
      : CHATS.map((chat, index) => (index === at ? (CHATS[(at + 1) % 5] ?? chat) : chat));
    count("agent", causeOf(chatRun("agent", chats.map(opened), seed)));
  }
  assert.deepEqual([...tally.app], [["product", 100]]);
  assert.deepEqual([...tally.agent], [["agent", 100]]);
});

test("a run that passes has nobody to blame; one without deeds in its log is not decided", () => {
  assert.equal(causeOf(chatRun("ok", CHATS.map(opened), 9)), "none");
  const bare = ["a", "b", "c"].map((id, at) => heldRun(id, at === 1 ? ["x", "y", "z"] : ["x", "z"]));
  const { model, text } = learnRuns(bare, "bare");
  assert.equal(blameRun(model, text, heldRun("d", ["x"])).cause, "unknown");
});

test("it says where the run left the path, what was expected there, and the nearest good run", () => {
  const run = chatRun("late", [opened("design"), opened("ops"), opened("legal"), opened("lunch")], 3);
  const { left, nearest, evidence } = blameRun(LEARNED.model, LEARNED.text, run);
  assert.match(left?.after ?? "", /message_rendered \(ops\)/);
  assert.match(left?.expected ?? "", /chat_switch \(sales\)|list_scrolled/);
  assert.ok(nearest.some(({ name, status }) => name === "chat_switch (sales)" && status === "missing"));
  assert.match(evidence.join(), /'chat_switch \(sales\)' was left out/);
});

test("calls: a right deed that the app refused is the product's, a wrong deed the agent's", () => {
  const run = (id: string, ...events: readonly Short[]) => heldRun(id, events);
  const get = (order: string) => call("get_order", { order }, { write: false, result: `order ${order} of today` });
  const cancel = (order: string, more = {}) => call("cancel_order", { order }, { write: true, ...more });
  const good = [
    run("a", get("o1"), cancel("o1")),
    run("b", cancel("o1")),
    run("c", get("o1"), get("o2"), cancel("o1")),
  ];
  const { model, text } = learnRuns(good, "cancel");
  const cause = (...events: readonly Short[]) => blameRun(model, text, run("x", ...events)).cause;
  assert.equal(cause(get("o1"), cancel("o1", { error: true })), "product");
  assert.equal(cause(get("o1"), cancel("o2")), "agent");
  assert.equal(cause(get("o1")), "agent");
  assert.equal(cause(cancel("o1"), cancel("o1")), "agent");
  assert.equal(cause(cancel("o1"), call("refund_order", { order: "o1" }, { write: true })), "agent");
});
