import { fault, WaymarkError } from "../proxy/record/fault.ts";
import type { Words } from "./arguments.ts";
import type { Defaults } from "./settings.ts";
import { COMMON_OPTIONS, type Verb } from "./verb.ts";

interface Call {
  readonly verb: Verb;
  readonly parsed: Words;
  readonly defaults: Defaults;
}

/**
 * A verb that complains about an option says `--gate got ...`; where the value never stood on the command line, the
 * complaint is given the place it did stand in: a line of the configuration, or a variable.
 */
export function blameOrigin(error: WaymarkError, { verb, parsed, defaults }: Call): WaymarkError {
  const [first, ...others] = error.faults;
  const name = /^--([a-z0-9-]+)/.exec(first?.message ?? "")?.[1] ?? optionOfGate(first?.code);
  if (first === undefined || name === undefined || parsed[name] !== undefined || first.place !== undefined)
    return error;
  const spec = { ...verb.options, ...COMMON_OPTIONS }[name];
  const from = spec === undefined ? undefined : defaults.find(verb.name, name, spec)?.from;
  if (from === undefined) return error;
  const { code, severity, fix, message } = first;
  const blamed =
    from.kind === "environment"
      ? { ...first, message: `${message} (set by ${from.name})` }
      : fault(code, message, { severity, fix, place: from.place, text: from.text });
  return new WaymarkError([blamed, ...others], { cause: error });
}

/** The one complaint that says what is wrong with the value and not which option had it. */
function optionOfGate(code: string | undefined): string | undefined {
  return code === "WM_USAGE_GATE" ? "gate" : undefined;
}
