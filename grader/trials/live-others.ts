import { captureOf } from "../read/control-line.ts";
import { parseLine } from "../read/parse.ts";

const RUN = Buffer.from('"run":"');
/** As the proxy writes it; what the app itself has of that name is written as `$capture_app`. */
const NUMBERED = '"$capture":{"seq":';

/**
 * Leaves out of a stretch of a log the records that the proxy knows to be another run's, by the credentials their clients
 * showed. The numbers behind them move up, so that only what is really missing is a gap. Records of no run stay: they may
 * be this one's.
 */
export class OthersLeftOut {
  readonly #run: string;
  #left = 0;

  constructor(run: string) {
    this.#run = run;
  }

  /** A record's line as it stands in the stretch; undefined when it is another run's. */
  lineOf(bytes: Buffer): Buffer | undefined {
    if (bytes.includes(RUN) && this.#isOfAnother(bytes)) {
      this.#left += 1;
      return undefined;
    }
    return this.#left === 0 ? bytes : this.#renumbered(bytes);
  }

  #isOfAnother(bytes: Buffer): boolean {
    const parsed = parseLine(bytes, 0, bytes.length);
    if (parsed.kind !== "event" && parsed.kind !== "undecoded") return false;
    const { run, seq } = captureOf(parsed.value);
    return typeof run === "string" && run !== this.#run && typeof seq === "number";
  }

  #renumbered(bytes: Buffer): Buffer {
    const text = bytes.toString("latin1"); // which gives every byte back
    const at = text.lastIndexOf(NUMBERED) + NUMBERED.length;
    const digits = /^[0-9]{1,15}/.exec(text.slice(at, at + 16))?.[0];
    if (at < NUMBERED.length || digits === undefined) return bytes;
    return Buffer.from(`${text.slice(0, at)}${Number(digits) - this.#left}${text.slice(at + digits.length)}`, "latin1");
  }
}
