import { setFlagsFromString } from "node:v8";

/**
 * Tunes V8's collection of new objects for a proxy, whose objects are nearly all gone within milliseconds. It collects when
 * a quarter of their space is used, so that the rest of it is never touched, and on the thread that asks for it: waking
 * others for the little that survives costs more than it saves. Measured by `bench -- proxy`: 30 MB less at the peak and
 * a twentieth less processor time.
 */
export function collectEarly(): void {
  setFlagsFromString("--minor-gc-task-trigger=25");
  setFlagsFromString("--no-parallel-scavenge");
}
