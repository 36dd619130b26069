import { type Design, nextRun, type Planned, type Started } from "./plan.ts";
import type { Trial } from "./trial.ts";

/** What repeating runs takes; everything that touches the world is handed in. */
export interface LoopOptions {
  /** How many runs at a time. */
  readonly jobs: number;
  /** How often a run that gave no grade because it failed itself is tried again; a failed one never is. */
  readonly retryErrors: number;
  /** Fires when no further run is to be started. */
  readonly signal: AbortSignal;
  /** Makes one run; never rejects over what a run does. `retries`: how often this one was tried before. */
  readonly play: (planned: Planned, retries: number) => Promise<Trial>;
  /** Whether the run passed, by scenario; undefined where it has no grade. */
  readonly passedOf: (trial: Trial) => readonly (boolean | undefined)[];
  /** True for a run that says nothing, because waymark, the launch or the capture failed. */
  readonly isError: (trial: Trial) => boolean;
}

/** Makes the runs of a design, and gives all of them back in order, those that were tried again among them. */
export async function runDesign(design: Design, options: LoopOptions): Promise<readonly Trial[]> {
  const started: Started[] = [];
  const trials: Trial[] = [];
  const work = async (): Promise<void> => {
    for (;;) {
      const planned = options.signal.aborted ? undefined : nextRun(design, started);
      if (planned === undefined) return;
      const place = started.push({ planned }) - 1;
      const attempts = await attempt(planned, options);
      trials.push(...attempts);
      const last = attempts.at(-1);
      if (last !== undefined) started[place] = { planned, passed: options.passedOf(last) };
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return trials.sort((a, b) => a.manifest.index - b.manifest.index || a.manifest.retries - b.manifest.retries);
}

async function attempt(planned: Planned, options: LoopOptions): Promise<readonly Trial[]> {
  const attempts: Trial[] = [];
  for (let retries = 0; retries <= options.retryErrors; retries++) {
    const trial = await options.play(planned, retries);
    attempts.push(trial);
    if (options.signal.aborted || !options.isError(trial)) break;
  }
  return attempts;
}
