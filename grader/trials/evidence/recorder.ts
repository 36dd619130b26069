import type { TrialArtifact } from "../trial.ts";
import { type Recording, recordBrowsers } from "./browser.ts";
import { RECORDING_LIMITS, type RecordingLimits } from "./budget.ts";
import type { DevtoolsPlace } from "./devtools-url.ts";
import { recordDisplay } from "./display.ts";
import { gatherEvidence } from "./gather.ts";

export interface RecorderOrder {
  /** The run's folder; evidence goes into its `evidence/`. */
  readonly folder: string;
  /** The profile folder of a browser that is started with `--remote-debugging-port=0`. */
  readonly profileFolder?: string;
  /** A folder below which profile folders of such browsers may appear, one for each. */
  readonly profilesFolder?: string;
  /** The port of a browser that is started with `--remote-debugging-port=PORT`. */
  readonly debuggingPort?: number;
  /** An X11 display such as `:0`; recorded where ffmpeg is on PATH. */
  readonly display?: string;
  /** Told, a sentence each, what could not be recorded and why. */
  readonly on?: (note: string) => void;
  readonly limits?: Partial<RecordingLimits>;
}

/** What watches a run from outside. */
export interface Recorder {
  /**
   * Ends the recording and answers everything in the run's `evidence/`, what the run itself left there too. Never
   * rejects. A second call answers the same.
   */
  stop(): Promise<TrialArtifact[]>;
}

/**
 * Records a run wherever that can be done, from now until `stop`: a browser through its own protocol (video and
 * screenshots), an X11 display with ffmpeg. Never throws, never holds up the run, and goes on without what fails.
 * An artifact's `at` is the time of its first picture, so that a marker's offset in it is the marker's time minus `at`.
 */
export function startRecorder(order: RecorderOrder): Recorder {
  const note = order.on ?? (() => undefined);
  const limits = { ...RECORDING_LIMITS, ...order.limits };
  const { folder, display } = order;
  const recordings: Recording[] = [];
  const places = placesOf(order);
  if (places.length > 0 || order.profilesFolder !== undefined) {
    const { profilesFolder } = order;
    const further = profilesFolder === undefined ? {} : { profilesFolder };
    recordings.push(recordBrowsers({ folder, places, limits, note, ...further }));
  }
  if (display !== undefined && display !== "") {
    const framesPerSecond = Math.min(limits.maxFramesPerSecond, 5);
    recordings.push(recordDisplay({ folder, display, framesPerSecond, maxBytes: limits.maxBytes, note }));
  }
  let stopped: Promise<TrialArtifact[]> | undefined;
  const stop = async (): Promise<TrialArtifact[]> => {
    const recorded = await Promise.all(recordings.map((recording) => stopSafely(recording, note)));
    return gatherEvidence(folder, recorded.flat());
  };
  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function placesOf({ profileFolder, debuggingPort }: RecorderOrder): readonly DevtoolsPlace[] {
  return [
    ...(profileFolder === undefined ? [] : [{ profileFolder }]),
    ...(debuggingPort === undefined ? [] : [{ debuggingPort }]),
  ];
}

async function stopSafely(recording: Recording, note: (text: string) => void): Promise<readonly TrialArtifact[]> {
  try {
    return await recording.stop();
  } catch (cause) {
    note(`a recording was lost: ${cause instanceof Error ? cause.message : String(cause)}`);
    return [];
  }
}
