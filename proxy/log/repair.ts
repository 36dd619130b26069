import { open } from "node:fs/promises";
import { isObject } from "../record/json.ts";
import { lossLine } from "./control.ts";
import { lastNewline, parsed, readText } from "./tail.ts";

/** What a repair found: a whole file, a last line that only lacked its end, or a torn one of so many bytes. */
export type Repair = { readonly kind: "whole" | "closed" } | { readonly kind: "cut"; readonly bytes: number };

/**
 * Makes a file whose writer was killed end with a whole line. A last line that is whole but for its line end is closed;
 * a torn one is replaced, in place, by a `loss` line that counts it. The loss is written before the rest is cut away, so
 * that being killed here too cannot hide it.
 */
export async function repairTail(path: string, at: number): Promise<Repair> {
  const file = await open(path, "r+");
  try {
    const { size } = await file.stat();
    const whole = (await lastNewline(file, size)) + 1;
    if (whole === size) return { kind: "whole" };
    if (isObject(parsed(await readText(file, whole, size)))) {
      await file.write("\n", size);
      return { kind: "closed" };
    }
    const line = Buffer.from(lossLine(at, { records: 1, why: "the line was torn by a crash", bytes: size - whole }));
    await file.write(line, 0, line.length, whole);
    await file.truncate(whole + line.length);
    return { kind: "cut", bytes: size - whole };
  } finally {
    await file.close();
  }
}
