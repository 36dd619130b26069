import { createInterface } from "node:readline/promises";
import { waymarkError } from "../proxy/record/fault.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, OptionSpec } from "./verb.ts";

export const YES_OPTION: OptionSpec = { kind: "flag", alias: "y", describe: "do not ask" };

/**
 * Asks on the terminal whether to go on; `--yes` answers. Anything but a yes is a no. Throws WM_CERTS_NOT_ASKED where
 * nobody can be asked.
 */
export async function confirm(question: string, args: Arguments, terminal: Terminal): Promise<boolean> {
  if (args.flag("yes") === true) return true;
  if (process.stdin.isTTY !== true || !terminal.errIsTerminal)
    throw waymarkError("WM_CERTS_NOT_ASKED", `"${question}" cannot be asked here`);
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await reader.question(`${question} [y/N] `)).trim());
  } finally {
    reader.close();
  }
}
