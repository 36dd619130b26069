import { type CallTokens, type PriceList, priceCall } from "./prices.ts";
import type { ModelCall } from "./spending-calls.ts";
import type { Outlay } from "./spending-join.ts";
import { roundUsd, sumOf } from "./spending-numbers.ts";
import type { LoggedStep } from "./steps-file.ts";
import type { TrialStep } from "./trial.ts";

/** One outlay as the run's step, with what is known of its completeness and of when it ended. */
export interface Cost {
  readonly shown: TrialStep;
  readonly unpriced: readonly string[];
  readonly isCostWhole: boolean;
  readonly areTokensWhole: boolean;
  /** When it ended, in milliseconds since 1970, where that is known. */
  readonly endedMs?: number;
  /** For what the capture alone tells of: the log and the line by which it had ended. */
  readonly place?: { readonly log: string; readonly record: number };
}

/**
 * The cost of one outlay. A step's own figures win; what it does not say comes from the captured calls made in it; what
 * neither says is absent. A step with tokens and a model but no cost is priced like a call.
 */
export function costOf({ step, calls }: Outlay, prices: PriceList | undefined): Cost {
  const called = priceCalls(calls, prices);
  const priced = step?.costUsd === undefined ? (calls.length > 0 ? called : priceStep(step, prices)) : undefined;
  const usd = step?.costUsd ?? priced?.usd;
  const counted = countTokens(step, calls);
  return {
    shown: {
      ...identityOf(step, calls[0]),
      ...(usd === undefined ? {} : { cost_usd: usd }),
      ...counted.figures,
    },
    unpriced: priced?.unpriced ?? [],
    isCostWhole: priced?.isWhole ?? true,
    areTokensWhole: counted.isWhole,
    ...whenEnded(step, calls),
  };
}

interface Priced {
  readonly usd: number | undefined;
  readonly unpriced: readonly string[];
  readonly isWhole: boolean;
}

function priceCalls(calls: readonly ModelCall[], prices: PriceList | undefined): Priced {
  const priced = calls.map(({ models, tokens }) => priceCall(models, tokens, prices));
  const usd = sumOf(priced.map((one) => one.usd));
  return {
    usd: usd === undefined ? undefined : roundUsd(usd),
    unpriced: [...new Set(priced.flatMap((one) => one.unpriced))],
    isWhole: calls.every(({ tokens }) => isCounted(tokens)) && priced.every((one) => one.unpriced.length === 0),
  };
}

function priceStep(step: LoggedStep | undefined, prices: PriceList | undefined): Priced | undefined {
  if (step === undefined) return undefined;
  const { tokensIn, tokensOut, tokens, model, name } = step;
  if (tokensIn === undefined && tokensOut === undefined && tokens === undefined && model === undefined)
    return undefined;
  const counted = callTokens(tokensIn, tokensOut);
  const { usd, unpriced } = priceCall(model === undefined ? [] : [model], counted, prices);
  const named = model === undefined ? [`the step "${name}", which names no model`] : unpriced;
  return { usd, unpriced: named, isWhole: named.length === 0 && isCounted(counted) };
}

function callTokens(input: number | undefined, output: number | undefined): CallTokens {
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}

function isCounted({ input, output }: CallTokens): boolean {
  return input !== undefined && output !== undefined;
}

interface Counted {
  readonly figures: Pick<TrialStep, "tokens_in" | "tokens_out" | "tokens">;
  readonly isWhole: boolean;
}

/** A step's token counts win as a whole: mixing them with the calls' could count some twice. */
function countTokens(step: LoggedStep | undefined, calls: readonly ModelCall[]): Counted {
  const isOwn = [step?.tokensIn, step?.tokensOut, step?.tokens].some((count) => count !== undefined);
  if (step !== undefined && isOwn) {
    const { tokensIn, tokensOut } = step;
    const isWhole = step.tokens !== undefined || (tokensIn !== undefined && tokensOut !== undefined);
    return { figures: figures(tokensIn, tokensOut, step.tokens), isWhole };
  }
  const input = sumOf(calls.map(({ tokens }) => tokens.input));
  const output = sumOf(calls.map(({ tokens }) => tokens.output));
  const isSilent = step?.model !== undefined && calls.length === 0;
  return { figures: figures(input, output), isWhole: !isSilent && calls.every(({ tokens }) => isCounted(tokens)) };
}

function figures(input: number | undefined, output: number | undefined, all?: number): Counted["figures"] {
  const tokens = all ?? sumOf([input, output]);
  return {
    ...(input === undefined ? {} : { tokens_in: input }),
    ...(output === undefined ? {} : { tokens_out: output }),
    ...(tokens === undefined ? {} : { tokens }),
  };
}

function identityOf(
  step: LoggedStep | undefined,
  call: ModelCall | undefined,
): Pick<TrialStep, "name" | "kind"> & Times {
  if (step !== undefined) return { name: step.name, kind: step.kind, ...timesOf(step.startedMs, step.durationMs) };
  const { source, name = "", models = [], startedMs, endedMs } = call ?? {};
  const [model] = models;
  const durationMs = startedMs === undefined || endedMs === undefined ? undefined : Math.max(0, endedMs - startedMs);
  const isWire = source === "exchange";
  return {
    name: isWire && model !== undefined ? `${name} ${model}` : name,
    kind: isWire ? "llm" : "span",
    ...timesOf(startedMs, durationMs),
  };
}

type Times = Pick<TrialStep, "started_at" | "duration_ms">;

function timesOf(startedMs: number | undefined, durationMs: number | undefined): Times {
  return {
    ...(startedMs === undefined ? {} : { started_at: new Date(startedMs).toISOString() }),
    ...(durationMs === undefined ? {} : { duration_ms: durationMs }),
  };
}

function whenEnded(step: LoggedStep | undefined, calls: readonly ModelCall[]): Pick<Cost, "endedMs" | "place"> {
  if (step?.startedMs !== undefined) return { endedMs: step.startedMs + (step.durationMs ?? 0) };
  const last = calls.at(-1);
  if (last === undefined) return {};
  return { place: last.place, ...(last.endedMs === undefined ? {} : { endedMs: last.endedMs }) };
}
