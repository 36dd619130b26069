import { CATALOGUE, type FaultCode, waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import type { Verb } from "./verb.ts";

export const help: Verb = {
  name: "help",
  usage: "help [CODE]",
  describe: "Explains an error code; without one, lists them all.",
  options: {},
  maxPositionals: 1,
  async run(args, terminal) {
    const [code] = args.positionals;
    const codes = Object.keys(CATALOGUE) as FaultCode[];
    if (code === undefined) {
      terminal.out(`${codes.map((known) => `${known}  ${CATALOGUE[known].what}`).join("\n")}\n`);
      return 0;
    }
    const known = codes.find((name) => name === code.toUpperCase());
    if (known === undefined)
      throw waymarkError("WM_USAGE", `there is no error code "${code}"${didYouMean(code, codes)}`);
    const { what, fix, exit } = CATALOGUE[known];
    terminal.out(`${known} (exit ${exit})\n  ${what}\n  fix: ${fix}\n`);
    return 0;
  },
};
