import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** A capture that a test writes line by line, as the proxy does. */
export interface GrowingLog {
  readonly file: string;
  control(kind: "start" | "stop", more?: object): void;
  event(name: string, data?: object): void;
  /** Later lines go into the next file of the series. */
  rotate(): void;
}

/** A log in `folder`, named as the proxy names it. Nothing is written until it is told to. */
export function growingLog(folder: string, name = "telemetry"): GrowingLog {
  let index = 0;
  let seq = 0;
  const file = (): string => join(folder, `${name}-${index}.log`);
  const put = (line: object): void => {
    mkdirSync(dirname(file()), { recursive: true });
    appendFileSync(file(), `${JSON.stringify(line)}\n`);
  };
  return {
    get file() {
      return file();
    },
    control: (control, more = {}) =>
      put({
        name: null,
        $capture: { control, at: new Date().toISOString(), record_format: 1, first_seq: seq + 1, ...more },
      }),
    event: (event, data = {}) => {
      seq += 1;
      const at = new Date().toISOString();
      put({ name: event, time: at, data, $capture: { seq, at, host: "events.example", path: "/collect" } });
    },
    rotate: () => {
      index += 1;
    },
  };
}
