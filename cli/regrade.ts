import { type Paint, signOf } from "../grader/report/paint.ts";
import { asText } from "../grader/report/text.ts";
import type { Store } from "../grader/store/store.ts";
import type { RegradedTrial } from "../grader/trials/regrade.ts";
import type { RegradeDocument } from "../grader/trials/regrade-document.ts";
import { renderFault, waymarkError } from "../proxy/record/fault.ts";
import { openSources } from "./compare.ts";
import { columns, deliver } from "./compare-output.ts";
import { paramValues } from "./params.ts";
import { scenariosFor } from "./regrade-join.ts";
import { RUN_PLACES } from "./runs-options.ts";
import type { Verb } from "./verb.ts";

export const regrade: Verb = {
  name: "regrade",
  usage: "regrade RUN..",
  describe:
    "Grades the stored telemetry of old runs again, with the markers as they stand now, and shows which verdicts flip. Regrades are kept beside the first results (--dry-run keeps nothing); waymark compare --regraded compares them.",
  options: {
    scenario: {
      kind: "list",
      alias: "s",
      value: "NAME",
      describe: "which scenario; several times for several",
      defaultText: "those that graded the run",
    },
    markers: { kind: "text", value: "DIR|FILE", describe: "folder of scenarios, or one file", defaultText: "markers" },
    param: { kind: "list", value: "NAME=VALUE", describe: "a scenario's parameter" },
    "dry-run": { kind: "flag", describe: "show the flips and keep nothing" },
    ...RUN_PLACES,
  },
  examples: [
    ["waymark regrade batch:latest --dry-run", "what would the markers of today say of the newest batch"],
    ["waymark regrade label:good -s checkout --markers new/checkout.yaml", "old runs, a new file"],
  ],
  async run(args, terminal) {
    if (args.positionals.length === 0) {
      throw waymarkError("WM_USAGE", "waymark regrade needs a run", { fix: "Such as `waymark regrade batch:latest`." });
    }
    const { selectRuns } = await import("../grader/trials/compare-select.ts");
    const { regradeTrial } = await import("../grader/trials/regrade.ts");
    const { regradeDocument } = await import("../grader/trials/regrade-document.ts");
    const { store, runs } = await openSources(args);
    let regraded: readonly RegradedTrial[];
    try {
      const trials = await selectRuns(args.positionals, { store, runs });
      const { of, all, warnings } = await scenariosFor(trials, args.list("scenario"), args.text("markers"));
      if (!args.flag("quiet")) for (const warning of warnings) terminal.err(`${renderFault(warning)}\n`);
      const params = paramValues(args.list("param"));
      refuseUnknown(params, all);
      const done: RegradedTrial[] = [];
      for (const trial of trials) done.push(await regradeTrial(trial, { scenarios: of(trial), params }));
      regraded = done;
    } finally {
      store.close();
    }
    const isKept = args.flag("dry-run") !== true;
    if (isKept) await keep(regraded, store.file);
    const document = regradeDocument(regraded, isKept);
    deliver({ document, text: (paint, detail) => regradeText(document, paint, detail) }, args, terminal);
    return document.exit_code;
  },
};

function refuseUnknown(
  params: ReadonlyMap<string, unknown>,
  scenarios: readonly { readonly scenario: { readonly params: readonly { readonly name: string }[] } }[],
): void {
  const known = new Set(scenarios.flatMap(({ scenario }) => scenario.params.map(({ name }) => name)));
  const unknown = [...params.keys()].find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw waymarkError("WM_USAGE_PARAM", `no scenario has a parameter "${unknown}"`);
}

async function keep(regraded: readonly RegradedTrial[], file: string): Promise<void> {
  const { openStore } = await import("../grader/store/store.ts");
  const { keepRegrade } = await import("../grader/trials/regrade.ts");
  const store: Store = openStore(file);
  try {
    const gradedAt = new Date().toISOString();
    for (const one of regraded) {
      if (one.kind !== "regraded") continue;
      for (const result of one.regrades) keepRegrade(store, one.trial, result, gradedAt);
    }
  } finally {
    store.close();
  }
}

function regradeText(document: RegradeDocument, paint: Paint, detail: 0 | 1 | 2): string {
  const { runs, counts, problems, skipped, kept } = document;
  const shown =
    detail === 2 ? runs : runs.filter(({ flip, old, notes }) => flip || old === undefined || notes.length > 0);
  const rows = shown.map((run) => [
    asText(run.run),
    asText(run.scenario),
    `${run.old?.verdict ?? "–"} → ${run.new.verdict}`,
    asText(run.new.verdict === "pass" ? (run.old?.reason ?? "") : run.new.reason),
  ]);
  const lines = columns(rows).flatMap((line, at) => {
    const run = shown[at];
    const notes = (run?.notes ?? []).map((note) => `    ${paint.dim(asText(note))}`);
    return [`${signOf(run?.new.verdict ?? "error", paint)} ${line}`, ...notes];
  });
  const gone = problems.map(({ code, message }) => `${paint.bad("!")} ${code}: ${asText(message)}`);
  const passed = skipped.map(({ run, why }) => `${paint.dim("–")} ${asText(run)} not graded: ${asText(why)}`);
  const end = kept ? "kept beside the first results; waymark compare --regraded takes them" : "nothing was kept";
  const summary = [sayCounts(counts), ...(detail === 0 ? [] : [paint.dim(end)])];
  return `${[...(detail === 0 ? [] : lines), ...gone, ...passed, ...summary].join("\n")}\n`;
}

function sayCounts({ graded, same, fresh, flips, gone }: RegradeDocument["counts"]): string {
  const turns = Object.entries(flips).map(([turn, count]) => `${count} ${turn}`);
  const parts = [
    `${graded} graded again: ${same} as before`,
    turns.length === 0 ? "no flip" : turns.join(", "),
    ...(fresh === 0 ? [] : [`${fresh} not graded by that scenario before`]),
    ...(gone === 0 ? [] : [`${gone} could not be graded again`]),
  ];
  return parts.join(", ");
}
