import { CATALOGUE, type FaultCode, waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { loadParser } from "./parse.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";

export const help: Verb = {
  name: "help",
  usage: "help [CODE|VERB]",
  describe: "Explains an error code or a verb; without one, lists all codes.",
  options: {},
  maxPositionals: 1,
  ignoresConfig: true,
  async run(args, terminal) {
    const [code] = args.positionals;
    const codes = Object.keys(CATALOGUE) as FaultCode[];
    if (code === undefined) {
      terminal.out(`${codes.map((known) => `${known}  ${CATALOGUE[known].what}`).join("\n")}\n`);
      return 0;
    }
    const verb = VERBS.find(({ name }) => name === code);
    if (verb !== undefined) {
      const { helpOf } = await loadParser();
      terminal.out(`${await helpOf(await verb.load())}\n`);
      return 0;
    }
    const known = codes.find((name) => name === code.toUpperCase());
    if (known === undefined) {
      const near = didYouMean(code.toUpperCase(), [...codes, ...VERBS.map(({ name }) => name)]);
      throw waymarkError("WM_USAGE", `there is no error code or verb "${code}"${near}`, {
        fix: "`waymark help` lists the codes, `waymark` the verbs.",
      });
    }
    const { what, fix, exit } = CATALOGUE[known];
    terminal.out(`${known} (exit ${exit})\n  ${what}\n  fix: ${fix}\n`);
    return 0;
  },
};
