/** What recording one run may use up. */
export interface RecordingLimits {
  /** Bytes of frames and screenshots on disk; 200 MB unless given. */
  readonly maxBytes: number;
  /** Frames over all pages; 20,000 unless given. */
  readonly maxFrames: number;
  /** Frames per second and page; 8 unless given. */
  readonly maxFramesPerSecond: number;
  readonly maxScreenshots: number;
}

export const RECORDING_LIMITS: RecordingLimits = {
  maxBytes: 200_000_000,
  maxFrames: 20_000,
  maxFramesPerSecond: 8,
  maxScreenshots: 100,
};

/** Counts what the pages of one run use up together. */
export interface RecordingBudget {
  /** False when the frame would be over a limit; the first refusal is told. */
  takeFrame(bytes: number): boolean;
  takeScreenshot(bytes: number): boolean;
}

/** A budget over `limits`; each limit that is reached is told to `note` once. */
export function recordingBudget(limits: RecordingLimits, note: (text: string) => void): RecordingBudget {
  let [bytes, frames, screenshots] = [0, 0, 0];
  const told = new Set<string>();
  const refuse = (why: string): false => {
    if (!told.has(why)) note(why);
    told.add(why);
    return false;
  };
  const hasRoom = (more: number): boolean =>
    bytes + more <= limits.maxBytes || refuse(`the recording stops at its limit of ${limits.maxBytes} bytes`);
  return {
    takeFrame(size) {
      if (frames >= limits.maxFrames) return refuse(`the recording stops at its limit of ${limits.maxFrames} frames`);
      if (!hasRoom(size)) return false;
      frames++;
      bytes += size;
      return true;
    },
    takeScreenshot(size) {
      if (screenshots >= limits.maxScreenshots) {
        return refuse(`no more than ${limits.maxScreenshots} screenshots are kept`);
      }
      if (!hasRoom(size)) return false;
      screenshots++;
      bytes += size;
      return true;
    },
  };
}
