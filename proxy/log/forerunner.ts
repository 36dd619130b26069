import { LineQueue } from "./queue.ts";
import { QUEUE_CHARS } from "./queueing-writer.ts";
import type { SeriesWriter } from "./writer.ts";

type Receiver = Pick<SeriesWriter, "append" | "lose">;

/** Stands in for the writer of a series that is not open yet. */
export interface Forerunner extends Receiver {
  /** Gives the writer what has come so far, in order, and from now on what comes. */
  handOver(writer: Receiver): void;
}

/** Keeps records from the first moment on, at most `maxChars` of them; what is over it is lost, and the writer is told. */
export function createForerunner(maxChars: number = QUEUE_CHARS): Forerunner {
  const waiting = new LineQueue(maxChars);
  let receiver: Receiver | undefined;
  return {
    append: (record) =>
      receiver === undefined ? waiting.push(record, "too much came before the log was open") : receiver.append(record),
    lose(records, why) {
      if (receiver === undefined) waiting.lose({ records, why });
      else receiver.lose(records, why);
    },
    handOver(writer) {
      receiver = writer;
      for (const entry of waiting.drop(waiting.length)) {
        if (entry.kind === "record") writer.append(entry.line);
        else if (entry.kind === "loss") writer.lose(entry.loss.records ?? 1, entry.loss.why);
      }
    },
  };
}
