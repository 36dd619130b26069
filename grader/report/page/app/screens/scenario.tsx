import type { PageData, PageGroup, PageScenario } from "../../data.ts";
import { Agreement } from "../charts/agreement.tsx";
import { Strips } from "../charts/dots.tsx";
import { Funnel } from "../charts/funnel.tsx";
import { type RateRow, Rates } from "../charts/rate.tsx";
import { type Lane, Timeline } from "../charts/timeline.tsx";
import { usePage } from "../context.ts";
import { linkTo } from "../route.ts";
import { ScenarioPicker } from "../shell.tsx";
import { cost, day, scenarioName, seen, showDuration } from "../words.ts";

/** Where and how often does it break? */
export function Scenario() {
  const { data, route } = usePage();
  const at = Number(route.of) || 0;
  const scenario = data.scenarios[at];
  if (scenario === undefined) return <p>No run was graded by any scenario.</p>;
  const [variant, task] = [route.query.get("variant"), route.query.get("task")];
  const groups = data.groups.filter(
    (group) =>
      group.scenario === at &&
      (variant === null || group.variant === variant) &&
      (task === null || group.task === task),
  );
  const lanes = lanesOf(data, groups, at);
  return (
    <>
      <div class="screen-head">
        <h1>{scenarioName(scenario, data.scenarios)}</h1>
        <ScenarioPicker screen="scenario" at={at} />
        {variant === null && task === null ? null : (
          <a class="quiet" href={linkTo("scenario", String(at))}>
            only{" "}
            {[variant, task]
              .flatMap((part) => part ?? [])
              .map(seen)
              .join(", ")}{" "}
            ✕
          </a>
        )}
        <a href={linkTo("markers", String(at))}>its markers</a>
      </div>
      {scenario.title === undefined ? null : <p class="lead">{seen(scenario.title)}</p>}
      <Timeline lanes={lanes} scenario={scenario} />
      <div class="columns">
        <Funnel scenario={scenario} groups={groups} />
        <GroupRates scenario={scenario} groups={groups} />
      </div>
      <div class="columns">
        <Durations data={data} groups={groups} />
        <Gaps lanes={lanes} scenario={scenario} groups={groups} />
      </div>
      {data.agreement === undefined ? null : <Agreement agreement={data.agreement} runs={data.runs} />}
    </>
  );
}

/** Runs that did not pass stand first. */
function lanesOf({ runs }: PageData, groups: readonly PageGroup[], at: number): readonly Lane[] {
  const lanes = groups.flatMap((group) =>
    group.runs.flatMap((position) => {
      const run = runs[position];
      if (run === undefined) return [];
      return run.results.filter(({ scenario }) => scenario === at).map((result) => ({ run, result }));
    }),
  );
  return lanes.sort((a, b) => Number(a.result.verdict === "pass") - Number(b.result.verdict === "pass"));
}

function GroupRates({ scenario, groups }: { readonly scenario: PageScenario; readonly groups: readonly PageGroup[] }) {
  const { history } = usePage().data;
  const before = history
    .filter((batch) => batch.scenario === scenario.name && batch.sha256 === scenario.sha256 && !batch.shown)
    .at(-1);
  const rows: RateRow[] = groups.map((group) => ({
    ...group,
    name: [group.variant, group.task].flatMap((part) => part ?? []).join(", ") || "these runs",
  }));
  if (before !== undefined) rows.push({ ...before, name: `batch of ${day(before.at)}`, isBaseline: true });
  const [only] = groups;
  return (
    <div>
      <Rates
        id="rates"
        title="How often it passes"
        says={
          groups.length === 1 && only !== undefined
            ? `${seen(only.rate_words)}.`
            : "Dots are observed rates, bars their 95% intervals."
        }
        rows={rows}
      />
      <ul class="plain-list sentences">
        {groups.map((group) => (
          <li key={`${group.variant} ${group.task}`}>
            {groups.length > 1 ? (
              <strong>{seen([group.variant, group.task].flatMap((part) => part ?? []).join(", "))}: </strong>
            ) : null}
            {[group.gate?.words, group.can_show, ...group.words]
              .flatMap((words) => (words === undefined || words === "" ? [] : [seen(words)]))
              .join("; ")}
            .
          </li>
        ))}
      </ul>
    </div>
  );
}

function Durations({ data, groups }: { readonly data: PageData; readonly groups: readonly PageGroup[] }) {
  const strips = (figureOf: (run: PageData["runs"][number]) => number | undefined) =>
    groups.map((group) => ({
      name: [group.variant, group.task].flatMap((part) => part ?? []).join(", ") || "all runs",
      dots: group.runs.flatMap((position) => {
        const run = data.runs[position];
        const value = run && figureOf(run);
        return run === undefined || value === undefined ? [] : [{ run: run.label, verdict: run.verdict, value }];
      }),
    }));
  const [durations, costs] = [strips((run) => run.duration_ms), strips((run) => run.cost_usd)];
  const hasCosts = costs.some(({ dots }) => dots.length > 0);
  return (
    <div>
      <Strips
        id="durations"
        title="How long the runs took"
        strips={durations}
        show={showDuration}
        says="One dot is one run; the line is the median."
      />
      {hasCosts ? (
        <Strips id="costs" title="What the runs cost" strips={costs} show={(value) => cost(value)} />
      ) : (
        <p class="soft">Nobody counted what these runs cost.</p>
      )}
    </div>
  );
}

function Gaps({
  lanes,
  scenario,
  groups,
}: {
  readonly lanes: readonly Lane[];
  readonly scenario: PageScenario;
  readonly groups: readonly PageGroup[];
}) {
  const strips = scenario.markers.map(({ name }, at) => ({
    name,
    dots: lanes.flatMap(({ run, result }) => {
      const mark = result.marks[at];
      return mark?.[0] === "f" && mark[2] !== null ? [{ run: run.label, verdict: result.verdict, value: mark[2] }] : [];
    }),
  }));
  const slowest = groups.flatMap((group) => group.slowest ?? []).sort((a, b) => b.median_ms - a.median_ms)[0];
  return (
    <Strips
      id="gaps"
      title="Time from marker to marker"
      {...(slowest === undefined
        ? {}
        : {
            says: `The slowest step leads to ${seen(slowest.marker)}: ${showDuration(slowest.median_ms)} at the median.`,
          })}
      strips={strips}
      show={showDuration}
    />
  );
}
