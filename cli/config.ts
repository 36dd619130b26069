import { asText } from "../grader/report/text.ts";
import { waymarkError } from "../proxy/record/fault.ts";
import { didYouMean } from "../proxy/record/near.ts";
import { formatPlace } from "../proxy/record/place.ts";
import { optionsOf } from "./arguments.ts";
import { type Defaults, findDefaults, type Origin } from "./settings.ts";
import type { Arguments, OptionSpec, Verb } from "./verb.ts";
import { VERBS } from "./verbs.ts";

export const config: Verb = {
  name: "config",
  usage: "config show [VERB] | config path",
  describe:
    "Shows what each option is and where that came from: environment, profile, configuration or default. `path` says which configuration is used.",
  options: {},
  maxPositionals: 2,
  // It looks for the configuration itself, to say what is wrong with it.
  ignoresConfig: true,
  examples: [
    ["waymark config show", "every option of every verb"],
    ["waymark config show run --profile ci", "what `waymark run --profile ci` would take"],
    ["waymark config path", "the file that is used; exit 4 when there is none"],
  ],
  async run(args, terminal) {
    const [action = "show", verb] = args.positionals;
    const defaults = await findDefaults({
      env: terminal.env,
      config: args.text("config"),
      profile: args.text("profile"),
    });
    if (action === "path" && verb === undefined) return path(defaults, args, terminal.out);
    if (action !== "show") throw unknownAction(action);
    const rows = await rowsFor(verb, defaults);
    terminal.out(args.flag("json") ? documentOf(rows, defaults) : pageOf(rows, defaults));
    return 0;
  },
};

const NONE = 4;

function path({ file }: Defaults, args: Arguments, out: (text: string) => void): number {
  if (args.flag("json")) out(`${JSON.stringify({ schema: "waymark.config/1", file: file ?? null })}\n`);
  else if (file !== undefined) out(`${asText(file)}\n`);
  else if (!args.flag("quiet")) out("no configuration here; `waymark init` writes one\n");
  return file === undefined ? NONE : 0;
}

function unknownAction(action: string): Error {
  return waymarkError("WM_USAGE", `waymark config cannot "${action}"${didYouMean(action, ["show", "path"])}`, {
    fix: "Known: show [VERB], path.",
  });
}

interface Row {
  readonly option: string;
  readonly value: string | boolean | readonly string[];
  readonly from: Origin | { readonly kind: "default" };
  readonly verbs: readonly string[];
}

/** One row for each value an option has, with the verbs in which it has it; options without any value are left out. */
async function rowsFor(wanted: string | undefined, defaults: Defaults): Promise<readonly Row[]> {
  const entries = VERBS.filter(({ name }) => wanted === undefined || name === wanted);
  if (entries.length === 0) {
    const names = VERBS.map(({ name }) => name);
    throw waymarkError("WM_USAGE", `waymark has no verb "${wanted}"${didYouMean(wanted ?? "", names)}`, {
      fix: `Known verbs: ${names.join(", ")}.`,
    });
  }
  const rows = new Map<string, Row>();
  for (const { load } of entries) {
    const verb = await load();
    if (verb.ignoresConfig === true) continue;
    for (const [option, spec] of Object.entries(optionsOf(verb))) {
      const row = rowOf(verb.name, option, { spec, defaults });
      if (row === undefined) continue;
      const key = JSON.stringify([row.option, row.value, row.from]);
      rows.set(key, { ...row, verbs: [...(rows.get(key)?.verbs ?? []), verb.name] });
    }
  }
  return [...rows.values()].sort((a, b) => rank(a) - rank(b) || (a.option < b.option ? -1 : 1));
}

/** What somebody set comes first. */
function rank({ from }: Row): number {
  return from.kind === "default" ? 1 : 0;
}

const SECRET = ["token"];

function rowOf(
  verb: string,
  option: string,
  { spec, defaults }: { spec: OptionSpec; defaults: Defaults },
): Row | undefined {
  const found = defaults.find(verb, option, spec);
  const { defaultText } = spec;
  if (found === undefined)
    return defaultText === undefined || option === "config"
      ? undefined
      : { option, value: defaultText, from: { kind: "default" }, verbs: [] };
  return { option, value: SECRET.includes(option) ? "(set, not shown)" : found.value, from: found.from, verbs: [] };
}

function documentOf(rows: readonly Row[], defaults: Defaults): string {
  const command = defaults.command();
  const options = rows.map(({ from, ...row }) => ({ ...row, from: plainOrigin(from) }));
  return `${JSON.stringify({
    schema: "waymark.config/1",
    file: defaults.file ?? null,
    profile: defaults.profile ?? null,
    ...(command === undefined ? {} : { command: { value: command.value, from: plainOrigin(command.from) } }),
    options,
  })}\n`;
}

function plainOrigin(from: Row["from"]): object {
  if (from.kind === "default" || from.kind === "environment") return from;
  const { file, line, column } = from.place;
  return { kind: from.kind, file, line, column };
}

function pageOf(rows: readonly Row[], defaults: Defaults): string {
  const { file, profile } = defaults;
  const head = `${file === undefined ? "no configuration" : asText(file)}${profile === undefined ? "" : `, profile ${asText(profile)}`}\n`;
  const command = defaults.command();
  const cells = [
    ...(command === undefined
      ? []
      : [["command", command.value.join(" "), words(command.from, profile), "run, doctor"]]),
    ...rows.map(({ option, value, from, verbs }) => [
      option,
      Array.isArray(value) ? value.join(", ") : String(value),
      words(from, profile),
      verbs.join(", "),
    ]),
  ].map((row) => row.map(asText));
  const table = [["option", "value", "from", "verbs"], ...cells];
  const widths = [0, 1, 2].map((at) => Math.min(MOST, Math.max(...table.map((row) => row[at]?.length ?? 0))));
  const line = (row: readonly string[]): string =>
    `  ${row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd()}\n`;
  return head + table.map(line).join("");
}

const MOST = 44;

function words(from: Row["from"], profile: string | undefined): string {
  if (from.kind === "default") return "default";
  if (from.kind === "environment") return from.name;
  return `${formatPlace(from.place)}${from.kind === "profile" ? ` (profile ${profile})` : ""}`;
}
