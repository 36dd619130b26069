import type { Conversation } from "./conversation.ts";
import type { Recorder } from "./recorder.ts";

/** What the tee tells about the bytes it passes; none of it throws. */
export interface Watcher {
  readonly request: (chunk: Buffer) => void;
  readonly requestEnd: () => void;
  readonly answer: (chunk: Buffer) => void;
  readonly answerEnd: () => void;
  readonly close: () => void;
}

/** Lets a conversation watch a tee. A bug in it costs its records, counted, never the connection. */
export function watch(conversation: Conversation, recorder: Recorder): Watcher {
  return {
    request: (chunk) => recorder.guard(() => conversation.request(chunk)),
    requestEnd: () => recorder.guard(() => conversation.requestEnd()),
    answer: (chunk) => recorder.guard(() => conversation.answer(chunk)),
    answerEnd: () => recorder.guard(() => conversation.answerEnd()),
    close: () => recorder.guard(() => conversation.close()),
  };
}
