import type { CallTokens } from "./prices.ts";
import type { ModelCall } from "./spending-calls.ts";

/** How far the clocks of a span and of the wire may differ, in milliseconds; both are of this machine. */
const CLOCK_SLACK_MS = 1000;

/**
 * Makes one of the records that tell of the same call. Exchanges on the wire are calls of their own, always (a mock may
 * answer each with the same id). A span is the same as an earlier record of its span id; else as an exchange that no
 * other span was put to, with the same response id, or, where an id is missing, with equal token counts (in and out),
 * models that do not contradict, and the exchange's start inside the span, give or take a second. The wire's counts win
 * over the app's, the span's times over the wire's. A sum over an agent's calls counts only where none of those calls is
 * in the capture.
 */
export function mergeCalls(calls: readonly ModelCall[]): readonly ModelCall[] {
  const merged = calls.filter(({ source }) => source === "exchange");
  const free = new Set(merged.keys());
  const spans = new Map<string, number>();
  for (const call of calls) {
    if (call.source !== "span") continue;
    const at = (call.span === undefined ? undefined : spans.get(call.span)) ?? placeOfSame(call, merged, free);
    const before = at === undefined ? undefined : merged[at];
    const place = at ?? merged.length;
    if (call.span === undefined) free.add(place);
    else {
      spans.set(call.span, place);
      free.delete(place);
    }
    merged[place] = before === undefined ? call : together(before, call);
  }
  const agents = calls.filter((call) => call.source === "agent" && !merged.some((one) => isInside(one, call)));
  return [...merged, ...withoutInner(agents)].sort((a, b) => a.place.record - b.place.record);
}

/** Among the records that no span was put to yet. */
function placeOfSame(call: ModelCall, merged: readonly ModelCall[], free: ReadonlySet<number>): number | undefined {
  const searches: ((one: ModelCall) => boolean)[] = [
    (one) => haveSameId(one, call) && isWithin(one.startedMs, call),
    (one) => haveSameId(one, call),
    (one) => haveSameShape(one, call),
  ];
  for (const search of searches) {
    for (const at of free) {
      const one = merged[at];
      if (one !== undefined && search(one)) return at;
    }
  }
  return undefined;
}

function haveSameId(one: ModelCall, call: ModelCall): boolean {
  return call.responseId !== undefined && one.responseId === call.responseId;
}

function haveSameShape(one: ModelCall, call: ModelCall): boolean {
  return (
    one.source === "exchange" &&
    (one.responseId === undefined || call.responseId === undefined) &&
    haveEqualTokens(one.tokens, call.tokens) &&
    modelsAgree(one.models, call.models) &&
    isWithin(one.startedMs, call)
  );
}

/** False only when both name models and none is the same. */
export function modelsAgree(a: readonly string[], b: readonly string[]): boolean {
  return a.length === 0 || b.length === 0 || a.some((model) => b.includes(model));
}

/** True when both counts of input and output are known and equal. */
export function haveEqualTokens(a: CallTokens, b: CallTokens): boolean {
  return a.input !== undefined && a.output !== undefined && a.input === b.input && a.output === b.output;
}

function isWithin(ms: number | undefined, { startedMs, endedMs = startedMs }: ModelCall): boolean {
  if (ms === undefined || startedMs === undefined || endedMs === undefined) return false;
  return ms >= startedMs - CLOCK_SLACK_MS && ms <= endedMs + CLOCK_SLACK_MS;
}

function together(exchange: ModelCall, span: ModelCall): ModelCall {
  const { startedMs = exchange.startedMs, endedMs = exchange.endedMs } = span;
  return {
    ...span,
    ...exchange,
    models: [...new Set([...exchange.models, ...span.models])],
    ...(startedMs === undefined ? {} : { startedMs }),
    ...(endedMs === undefined ? {} : { endedMs }),
    tokens: { ...span.tokens, ...exchange.tokens },
  };
}

function isInside(call: ModelCall, agent: ModelCall): boolean {
  if (call === agent) return false;
  if (call.trace !== undefined && call.trace === agent.trace) return true;
  return isWithin(call.startedMs, agent);
}

/** Agents called by agents are in the sum of the outer one already. */
function withoutInner(agents: readonly ModelCall[]): readonly ModelCall[] {
  const length = ({ startedMs = 0, endedMs = startedMs }: ModelCall): number => endedMs - startedMs;
  return agents.filter(
    (agent) => !agents.some((other) => other !== agent && isInside(agent, other) && length(other) > length(agent)),
  );
}
