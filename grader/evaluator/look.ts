import { isObject, type JsonValue } from "../../proxy/record/json.ts";
import { didYouMean } from "../../proxy/record/near.ts";
import type { LookAtState } from "../checks.ts";
import type { Evaluator, Seen, Surroundings } from "./evaluators/evaluator.ts";
import { unseen } from "./evaluators/evaluator.ts";
import { EVALUATORS } from "./evaluators/index.ts";
import type { Sight } from "./lanes/job.ts";
import { createLocator, OutsideRoot } from "./locator.ts";

export interface LookOptions extends Partial<Sight> {
  readonly now?: () => number;
}

/**
 * Answers a scenario's `checks:` (LANGUAGE.md section 5.3) with the evaluators of this room; handed to `gradeLogs` as
 * `look` at the end of a live run. Relative paths start at `cwd` (else `root`, else the process's folder); `commands` are
 * those the `command` evaluator may run. A check that cannot be made, or leads out of the root, is an `error`.
 */
export function lookAtState(options: LookOptions = {}): LookAtState {
  const sight = { commands: new Map<string, readonly string[]>(), ...options };
  return async ({ evaluator, args }) => {
    const { verdict, reason } = await lookOnce({ evaluator, args }, sight, undefined, options.now).catch(
      (error: unknown) => {
        if (error instanceof OutsideRoot) return unseen("WM_SERVE_FORBIDDEN", "the path leads out of the root");
        throw error;
      },
    );
    return { name: evaluator, verdict, reason };
  };
}

/** One look by an evaluator's name. Arguments that do not fit are an `error` that says where. Throws `OutsideRoot`. */
export async function lookOnce(
  { evaluator: name, args }: { readonly evaluator: string; readonly args: JsonValue },
  sight: Sight,
  signal?: AbortSignal,
  now: () => number = Date.now,
): Promise<Seen> {
  const evaluator = evaluatorNamed(name);
  if (evaluator === undefined) {
    const known = EVALUATORS.map((one) => one.name);
    return unseen("WM_SERVE_NOT_FOUND", `there is no evaluator "${name}"${didYouMean(name, known)}`);
  }
  const parsed = evaluator.schema.safeParse(isObject(args) ? args : {});
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return unseen("WM_SERVE_BODY", `${[name, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "does not fit"}`);
  }
  const surroundings: Surroundings = {
    locator: createLocator(sight),
    commands: sight.commands,
    now,
    ...(signal === undefined ? {} : { signal }),
  };
  return evaluator.look(parsed.data, surroundings);
}

/** The evaluator of this name; undefined when there is none. */
export function evaluatorNamed(name: string): Evaluator | undefined {
  return EVALUATORS.find((one) => one.name === name);
}
