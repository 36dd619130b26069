import { paintFor } from "../grader/report/paint.ts";
import { asText, plural } from "../grader/report/text.ts";
import type { LoadedScenario } from "../grader/scenario/load.ts";
import { type Fault, fault, renderFault, WaymarkError, waymarkError } from "../proxy/record/fault.ts";
import { WAYMARK_VERSION } from "../proxy/record/version.ts";
import type { Terminal } from "./terminal.ts";
import type { Arguments, Verb } from "./verb.ts";

export const check: Verb = {
  name: "check",
  usage: "check [FILE..]",
  describe:
    "Validates scenario files: shape, meaning and YAML traps, every problem with its place. Without files: all in --markers.",
  options: {
    markers: {
      kind: "text",
      value: "DIR",
      describe: "folder of scenarios",
      defaultText: "markers, or the shipped ones",
    },
    strict: { kind: "flag", describe: "warnings count: exit 1" },
    sample: { kind: "text", value: "LOG", describe: "warn about fields and triggers that no event of this log has" },
    fix: { kind: "flag", describe: "mend what can be mended without a guess, such as numbers that need quotes" },
  },
  examples: [
    ["waymark check markers/checkout.yaml", "one file"],
    ["waymark check --sample logs/telemetry", "beside real events"],
    ["waymark check --reporter sarif > findings.sarif", "for a code host"],
  ],
  async run(args, terminal) {
    const sample = args.text("sample");
    const files = await filesToCheck(args);
    const checked: CheckedFile[] = [];
    const { firstFaults } = await import("../grader/scenario/fault-cap.ts");
    for (const file of files) {
      const one = await checkAndMend(file, sample, { args, terminal });
      checked.push({ ...one, faults: firstFaults(one.faults, file) });
    }
    const all = [...checked, ...duplicateIds(checked)];
    if (args.list("reporter").includes("sarif")) {
      const { sarifLog } = await import("../grader/report/sarif.ts");
      terminal.out(
        `${JSON.stringify(
          sarifLog(
            all.flatMap(({ faults }) => faults),
            WAYMARK_VERSION,
          ),
        )}\n`,
      );
    } else if (args.flag("json")) terminal.out(`${JSON.stringify(jsonOf(all))}\n`);
    else for (const one of all) say(one, args, terminal);
    return exitCodeOf(all, args.flag("strict") === true);
  },
};

interface CheckedFile {
  readonly file: string;
  readonly scenario?: LoadedScenario["scenario"];
  readonly faults: readonly Fault[];
}

async function filesToCheck(args: Arguments): Promise<readonly string[]> {
  const { shippedFolder } = await import("../grader/scenario/find.ts");
  if (args.positionals.length > 0) return (await Promise.all(args.positionals.map(filesAt))).flat();
  const asked = args.text("markers");
  if (asked !== undefined) return someIn(asked);
  const { kindOf } = await import("../grader/scenario/scenario-file.ts");
  const own = kindOf("markers") === "folder" ? await scenariosIn("markers") : [];
  return own.length > 0 ? own : someIn(shippedFolder());
}

/** A file is itself; a folder is the scenarios right in it. */
async function filesAt(path: string): Promise<readonly string[]> {
  const { kindOf } = await import("../grader/scenario/scenario-file.ts");
  return kindOf(path) === "folder" ? someIn(path) : [path];
}

/** Throws when there is none: a check of nothing must not look like a check that found nothing. */
async function someIn(folder: string): Promise<readonly string[]> {
  const files = await scenariosIn(folder);
  if (files.length > 0) return files;
  const fix = "A scenario is a .yaml file right in the folder, with `scenario: ID` in it.";
  throw waymarkError("WM_SCENARIO_NOT_FOUND", `there is no scenario in the folder "${folder}"`, { fix });
}

/** A library without a scenario is checked by those who use it. */
async function scenariosIn(folder: string): Promise<readonly string[]> {
  const { listScenarios } = await import("../grader/scenario/find.ts");
  return (await listScenarios(folder)).filter(({ id }) => id !== undefined).map(({ file }) => file);
}

interface Asked {
  readonly args: Arguments;
  readonly terminal: Terminal;
}

async function checkAndMend(file: string, sample: string | undefined, { args, terminal }: Asked): Promise<CheckedFile> {
  const checked = await checkFile(file, sample);
  if (args.flag("fix") !== true) return checked;
  const { mendFile } = await import("./mend.ts");
  const count = mendFile(file, checked.faults);
  if (count === 0) return checked;
  terminal.err(`mended ${asText(file)}: ${plural(count, "place")}\n`);
  return checkFile(file, sample);
}

/**
 * Loads and compiles one file, grades its own examples and looks at it beside the sample. A parameter without a value is
 * no mistake of the file.
 */
async function checkFile(file: string, sample: string | undefined): Promise<CheckedFile> {
  const { loadScenario } = await import("../grader/scenario/load.ts");
  const { compileProgram } = await import("../grader/match/program.ts");
  try {
    const loaded = await loadScenario(file);
    const { scenario, warnings, texts } = loaded;
    const problems = faultsOf(() => compileProgram(scenario, new Map(), texts));
    if (problems.length > 0) return { file, scenario, faults: [...warnings, ...problems] };
    const { exampleFaults } = await import("../grader/examples.ts");
    const { gradeMutated } = await import("../grader/learn/mutate/examples.ts");
    const { sampleFaults } = await import("../grader/sample.ts");
    const beside = sample === undefined ? [] : await sampleFaults(loaded, sample);
    return { file, scenario, faults: [...warnings, ...(await exampleFaults(loaded, gradeMutated)), ...beside] };
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    return { file, faults: cause.faults };
  }
}

function faultsOf(compile: () => unknown): readonly Fault[] {
  try {
    compile();
    return [];
  } catch (cause) {
    if (!(cause instanceof WaymarkError)) throw cause;
    return cause.faults.filter(
      ({ code, message }) => !(code === "WM_SCENARIO_PARAM" && message.endsWith("has no value")),
    );
  }
}

/** Two files with one id: `--scenario ID` could not tell which is meant. */
function duplicateIds(checked: readonly CheckedFile[]): CheckedFile[] {
  const first = new Map<string, string>();
  return checked.flatMap(({ file, scenario }) => {
    if (scenario === undefined) return [];
    const other = first.get(scenario.id);
    if (other === undefined) {
      first.set(scenario.id, file);
      return [];
    }
    const message = `the scenario "${scenario.id}" is in ${other} already`;
    return [{ file, faults: [fault("WM_SCENARIO_DUPLICATE_NAME", message, { place: scenario.place })] }];
  });
}

function say({ file, scenario, faults }: CheckedFile, args: Arguments, terminal: Terminal): void {
  const paint = paintFor(terminal.colour);
  for (const problem of faults) terminal.out(`${renderFault(problem)}\n\n`);
  if (scenario === undefined || faults.some(({ severity }) => severity === "error") || args.flag("quiet")) return;
  const sign = faults.length === 0 ? paint.good("✓") : paint.unsure("▲");
  const parts = [plural(scenario.markers.length, "marker"), plural(scenario.rules.length, "rule")];
  const params = scenario.params.map(({ name, required }) => (required ? `${name} (required)` : name));
  if (params.length > 0) parts.push(`parameters ${params.join(", ")}`);
  terminal.out(`${sign} ${asText(file)}  ${asText(scenario.id)}: ${parts.join(", ")}\n`);
}

function jsonOf(checked: readonly CheckedFile[]) {
  const files = checked.map(({ file, scenario, faults }) => ({ file, scenario: scenario?.id ?? null, faults }));
  return { schema: "waymark.check/1", files };
}

function exitCodeOf(checked: readonly CheckedFile[], strict: boolean): number {
  const faults = checked.flatMap((one) => one.faults);
  if (faults.some(({ severity }) => severity === "error")) return 2;
  return strict && faults.some(({ severity }) => severity === "warning") ? 1 : 0;
}
