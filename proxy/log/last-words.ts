import { type Loss, lossLine } from "./control.ts";
import type { Segment } from "./segment.ts";

/** Whole lines given up at most to make room for the line that says records are missing. */
const MAX_GIVEN_UP = 8;

/**
 * Writes a `loss` line at the end of a file on a disk that may be full. When there is no room, the last lines make room:
 * a capture that is short of a few more records and says so is worth more than one that looks complete. Returns how
 * many lines were given up; throws when nothing helps.
 */
export async function writeLastLoss(segment: Segment, loss: Loss & { records: number }, at: number): Promise<number> {
  for (let givenUp = 0; ; givenUp++) {
    const line = Buffer.from(lossLine(at, { ...loss, records: loss.records + givenUp }), "utf8");
    const { written, error } = await segment.write(line);
    if (error === undefined) {
      segment.commit(written);
      return givenUp;
    }
    await segment.cutBack();
    if (givenUp >= MAX_GIVEN_UP || (await segment.cutLastLine()) === 0) throw error;
  }
}
