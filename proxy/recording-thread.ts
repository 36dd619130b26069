import { type MessagePort, parentPort } from "node:worker_threads";
import { lockOfAnotherThread, type SeriesLock } from "./log/lock.ts";
import { type Parcel, unpack } from "./parcel.ts";
import { type Fault, WaymarkError } from "./record/fault.ts";
import { openRecording, type Recording, type RecordingOptions } from "./recording.ts";
import type { RecordingCounts } from "./recording-counts.ts";

/** What the thread is told. It answers each, in order. */
export type Order =
  | {
      readonly kind: "open";
      readonly options: RecordingOptions;
      readonly lock: Pick<SeriesLock, "path" | "content">;
    }
  | { readonly kind: "work"; readonly parcel: Parcel }
  | { readonly kind: "flush" }
  | { readonly kind: "close" };

/** How far the thread is. */
export interface State {
  readonly file: string;
  readonly counts: RecordingCounts;
}

/** What the thread says. */
export type Answer =
  | { readonly kind: "opened" | "flushed" | "closed" | "progress"; readonly state: State }
  /** A parcel is worked off; of its exchanges those at `passedOver` are no telemetry. Its block goes back. */
  | {
      readonly kind: "worked";
      readonly state: State;
      readonly passedOver: readonly number[];
      readonly block: ArrayBuffer;
    }
  | { readonly kind: "refused"; readonly faults: readonly Fault[]; readonly message: string }
  | { readonly kind: "problem"; readonly message: string };

/** Lines are written some time after they were taken; so long after, the other side is told how far that came. */
const PROGRESS_MS = 100;

/** Obeys what comes through the port: one recording, from `open` to `close`. */
function serve(port: MessagePort): void {
  const say = (answer: Answer): void => port.postMessage(answer);
  let recording: Recording | undefined;
  let telling: NodeJS.Timeout | undefined;

  const open = async ({ options, lock }: Order & { readonly kind: "open" }): Promise<void> => {
    const onProblem = (message: string): void => say({ kind: "problem", message });
    try {
      const log = { ...options.log, mayBlock: true };
      recording = await openRecording({ ...options, log }, { lock: lockOfAnotherThread(lock), onProblem });
      say({ kind: "opened", state: stateOf(recording) });
    } catch (cause) {
      say({ kind: "refused", ...reasonsOf(cause) });
    }
  };
  const work = (to: Recording, parcel: Parcel): void => {
    const passedOver: number[] = [];
    to.work(unpack(parcel, (index) => passedOver.push(index)));
    const { bodies: block } = parcel;
    port.postMessage({ kind: "worked", state: stateOf(to), passedOver, block } satisfies Answer, [block]);
    telling ??= setTimeout(() => {
      telling = undefined;
      say({ kind: "progress", state: stateOf(to) });
    }, PROGRESS_MS);
  };
  const close = async (last: Recording): Promise<void> => {
    await last.close();
    clearTimeout(telling);
    say({ kind: "closed", state: stateOf(last) });
    port.close();
  };
  port.on("message", (order: Order) => {
    if (order.kind === "open") void open(order);
    else if (recording === undefined) throw new Error(`told to ${order.kind} before there is a log`);
    else if (order.kind === "work") work(recording, order.parcel);
    else if (order.kind === "flush") void flush(recording, say);
    else void close(recording);
  });
}

async function flush(recording: Recording, say: (answer: Answer) => void): Promise<void> {
  await recording.flush();
  say({ kind: "flushed", state: stateOf(recording) });
}

function stateOf(recording: Recording): State {
  return { file: recording.file, counts: recording.counts() };
}

/** An error as it can be sent: a fault keeps all that it says. */
function reasonsOf(cause: unknown): { faults: readonly Fault[]; message: string } {
  const message = cause instanceof Error ? cause.message : String(cause);
  return { message, faults: cause instanceof WaymarkError ? cause.faults : [] };
}

if (parentPort !== null) serve(parentPort);
