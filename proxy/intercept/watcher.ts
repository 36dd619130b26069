import type { Recorder } from "./recorder.ts";

/** Reads a copy of both directions of one connection. What it makes of them never reaches the traffic. */
export interface Listener {
  /** True while an exchange is under way, and when nobody can tell. */
  readonly isBusy: boolean;
  /** Called whenever nothing is under way any more. */
  onIdle: (() => void) | undefined;
  request(chunk: Buffer): void;
  requestEnd(): void;
  answer(chunk: Buffer): void;
  answerEnd(): void;
  /** Both sides are gone. */
  close(): void;
}

/** What the tee tells about the bytes it passes; none of it throws. */
export interface Watcher {
  readonly request: (chunk: Buffer) => void;
  readonly requestEnd: () => void;
  readonly answer: (chunk: Buffer) => void;
  readonly answerEnd: () => void;
  readonly close: () => void;
}

/** Lets a listener watch a tee. A bug in it costs its records, counted, never the connection. */
export function watch(listener: Listener, recorder: Recorder): Watcher {
  return {
    request: (chunk) => recorder.guard(() => listener.request(chunk)),
    requestEnd: () => recorder.guard(() => listener.requestEnd()),
    answer: (chunk) => recorder.guard(() => listener.answer(chunk)),
    answerEnd: () => recorder.guard(() => listener.answerEnd()),
    close: () => recorder.guard(() => listener.close()),
  };
}
