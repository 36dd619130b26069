import type { Corpus, Item } from "./trace.ts";

/**
 * What an event is to the learner. `effect` changes the world, `read` looks something up, `noise` is of no account,
 * `claim` is what the agent says of itself, `event` is all else: what an app tells of what happens in it.
 */
export type EventClass = "effect" | "read" | "event" | "noise" | "claim";

/** Globs (`*` any text, `?` one character; letters count without case) for names whose class is known. */
export type ClassGlobs = Readonly<Partial<Record<EventClass, readonly string[]>>>;

const EFFECT_VERBS =
  "add|append|apply|approve|archive|assign|ban|block|book|buy|call|cancel|change|charge|chmod|chown|clear|close|commit|confirm|copy|cp|create|deactivate|decline|delete|deploy|deposit|disable|dispatch|drop|edit|email|enable|exchange|execute_order|forward|grant|insert|install|invite|kill|like|ln|make|merge|mkdir|modify|move|mv|order|patch|pay|place|post|publish|purchase|put|refund|register|reject|remove|rename|replace|reply|reschedule|reserve|reset|restart|restore|return|revoke|rm|rmdir|save|schedule|sell|send|set|share|sign|start|stop|store|submit|subscribe|swap|touch|transfer|truncate|turn|unassign|unblock|uninstall|unlink|unsubscribe|update|upload|upsert|withdraw|write";
const READ_VERBS =
  "browse|calculate|cat|check|compare|count|describe|desc|du|fetch|find|get|grep|has|head|inspect|is|list|load|locate|lookup|look|ls|open|peek|query|read|retrieve|search|select|show|stat|tail|validate|verify|view|wc|which";
/** Patterns in RE2's syntax, which is also JavaScript's here: the scenario carries the same text the learner used. */
const START = "(?:^|[./:]|__)";
const END = "(?:[A-Z_./: -]|$)";
export const EFFECT_NAME = `${START}(?:${EFFECT_VERBS})${END}`;
export const READ_NAME = `${START}(?:${READ_VERBS})${END}`;
export const CLAIM_NAME =
  "^(?:.*[./:])?(?:submit|done|finish(?:ed)?|complete[d]?|(?:final_?)?answer|task_(?:done|complete[d]?)|complete_task|give_up|report_done|self_?report)$";
export const NOISE_NAME =
  "^(?:.*[./:])?(?:(?:user|agent|assistant|system|human|bot|ai|model|customer|simulator)?[._ -]?(?:message|msg|utterance)|think|thinking|thought|reasoning|heartbeat|keep_?alive|ping|pong|debug|metrics?|tick)$";

const EFFECT = new RegExp(EFFECT_NAME);
const READ = new RegExp(READ_NAME);
const CLAIM = new RegExp(CLAIM_NAME);
const NOISE = new RegExp(NOISE_NAME);

/** The classes of a corpus's items, by index, and what they were told by. */
export interface Classes {
  readonly of: readonly EventClass[];
  /** The events themselves say which of them write. */
  readonly areTold: boolean;
}

/** The class of every item: by the user's globs, else by what the event says of itself, else by its name. */
export function classify({ items }: Corpus, globs: ClassGlobs = {}): Classes {
  const areTold = items.some(({ writes }) => writes !== undefined);
  const named = Object.entries(globs).flatMap(([kind, list]) =>
    (list ?? []).map((glob) => ({ kind: kind as EventClass, test: globTest(glob) })),
  );
  const of = items.map((item) => named.find(({ test }) => test(item.name))?.kind ?? guess(item, areTold));
  return { of, areTold };
}

function guess({ name, writes, isCall }: Item, areTold: boolean): EventClass {
  if (CLAIM.test(name)) return "claim";
  if (writes === true) return "effect";
  if (NOISE.test(name)) return "noise";
  if (writes === false) return "read";
  if (areTold) return isCall ? "read" : "event";
  if (isCall && READ.test(name)) return "read";
  if (EFFECT.test(name)) return "effect";
  return isCall ? "read" : "event";
}

/** A test for a glob, as the language's `glob|i` has it. */
export function globTest(glob: string): (name: string) => boolean {
  const body = [...glob].map((one) =>
    one === "*" ? ".*" : one === "?" ? "." : one.replace(/[\\^$.|+()[\]{}]/, "\\$&"),
  );
  const test = new RegExp(`^${body.join("")}$`, "isu");
  return (name) => test.test(name);
}
