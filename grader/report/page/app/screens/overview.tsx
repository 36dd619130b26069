import type { PageGroup, PageRun } from "../../data.ts";
import { RateBar } from "../charts/rate.tsx";
import { Sparkline } from "../charts/sparkline.tsx";
import { usePage } from "../context.ts";
import { linkTo } from "../route.ts";
import { RunList } from "../run/run-list.tsx";
import { Verdict } from "../verdict.tsx";
import { cost, percent, plural, range, SIGNS, scenarioName, seen, showDuration } from "../words.ts";

/** Can I ship? The verdict in words, then one row per scenario, then the runs. */
export function Overview() {
  const { data } = usePage();
  return (
    <>
      <Answer />
      {data.groups.length === 0 ? null : (
        <section aria-labelledby="scenarios-title">
          <h2 id="scenarios-title">Scenarios</h2>
          <div class="groups">
            {data.groups.map((group, at) => (
              <GroupRow key={at} group={group} />
            ))}
          </div>
        </section>
      )}
      <RunList />
    </>
  );
}

function Answer() {
  const { data } = usePage();
  const { counts, runs, gate, verdict, groups } = data;
  const single = groups.length === 1 ? groups[0] : undefined;
  return (
    <section class={`answer v-${verdict}`} aria-labelledby="answer-title">
      <p class="eyebrow">{seen(data.title)}</p>
      <h1 id="answer-title">
        <span class="answer-sign" aria-hidden="true">
          {SIGNS[verdict]}
        </span>{" "}
        <span id="runs-passed">
          {counts.pass} of {plural(runs.length, "run")} passed
        </span>
      </h1>
      {gate === undefined ? null : (
        <p class="gate" id="gate">
          <Verdict of={gate.met === null ? "undecided" : gate.met ? "pass" : "fail"} short /> {seen(gate.words)}
        </p>
      )}
      {single === undefined ? null : (
        <p class="answer-rate" id="interval">
          {seen(single.rate_words)}. <span id="can-show">{seen(single.can_show)}.</span>
        </p>
      )}
      <Broken runs={runs} />
      <Truth />
    </section>
  );
}

/** The runs that did not pass, each with the marker that broke it. */
function Broken({ runs }: { readonly runs: readonly PageRun[] }) {
  const broken = runs.filter(({ verdict }) => verdict !== "pass");
  if (broken.length === 0) return null;
  return (
    <ul class="plain-list broken" id="broken">
      {broken.slice(0, 4).map((run) => (
        <li key={run.id}>
          <a href={linkTo("run", run.id)}>{seen(run.label)}</a> {whatBroke(run)}
        </li>
      ))}
      {broken.length > 4 ? (
        <li>
          <a href={linkTo("overview", "", { verdict: "not-passed" })}>and {broken.length - 4} more</a>
        </li>
      ) : null}
    </ul>
  );
}

function whatBroke(run: PageRun) {
  const stopped = run.results.find(({ waiting_for }) => waiting_for !== undefined);
  if (stopped?.waiting_for !== undefined && run.verdict === "fail") {
    return (
      <>
        never reached <strong class="marker-name">{seen(stopped.waiting_for)}</strong>
        {stopped.reached === undefined ? null : <span class="soft"> after {seen(stopped.reached)}</span>}
      </>
    );
  }
  return <>{seen(run.reason === "" ? run.verdict : run.reason)}</>;
}

function Truth() {
  const { agreement, runs } = usePage().data;
  if (agreement === undefined) return null;
  const lies = agreement.disagreeing.flatMap((at) => runs[at] ?? []);
  if (lies.length === 0) return <p id="truth">What the agent said of its runs agrees with the grades.</p>;
  return (
    <p id="truth">
      <span class="warn-ink">▲</span> The agent’s word disagrees with the grade in{" "}
      {lies.slice(0, 3).map((run, at) => (
        <>
          {at === 0 ? "" : ", "}
          <a href={linkTo("run", run.id, { tab: "said" })}>{seen(run.label)}</a>
        </>
      ))}
      {lies.length > 3 ? ` and ${lies.length - 3} more` : ""}
      {lies.length === 1 ? <>: it said “{seen(lies[0]?.claim ?? "")}”.</> : "."}
    </p>
  );
}

function GroupRow({ group }: { readonly group: PageGroup }) {
  const { data } = usePage();
  const scenario = data.scenarios[group.scenario];
  const name = [group.variant, group.task].flatMap((part) => (part === undefined ? [] : [seen(part)])).join(", ");
  const batches = data.history.filter((batch) => batch.scenario === scenario?.name);
  const stall = group.stalls[0];
  const verdict =
    group.gate === undefined
      ? verdictOf(group)
      : group.gate.met === null
        ? "undecided"
        : group.gate.met
          ? "pass"
          : "fail";
  return (
    <article class="group">
      <h3>
        <Verdict of={verdict} short />{" "}
        <a href={linkTo("scenario", String(group.scenario), { variant: group.variant, task: group.task })}>
          {scenarioName(scenario, data.scenarios)}
        </a>
        {name === "" ? null : <span class="soft"> {name}</span>}
      </h3>
      <dl>
        <div>
          <dt>passed</dt>
          <dd>
            <strong>
              {group.passed} of {group.passed + group.failed}
            </strong>
            {group.unknown > 0 ? <span class="soft"> and {group.unknown} without a grade</span> : null}
          </dd>
        </div>
        <div class="wide">
          <dt>rate, 95% interval</dt>
          <dd class="rate-cell">
            <RateBar row={{ ...group, name: scenario?.name ?? "" }} width={150} />
            <span>
              {percent(group.rate)} <span class="soft">{range(group.interval)}</span>
            </span>
          </dd>
        </div>
        <div>
          <dt>median time</dt>
          <dd>{group.duration === undefined ? "–" : showDuration(group.duration.median)}</dd>
        </div>
        <div>
          <dt>slowest step</dt>
          <dd class="slowest">
            {group.slowest === undefined ? (
              "–"
            ) : (
              <>
                {seen(group.slowest.marker)}, <span class="nowrap">{showDuration(group.slowest.median_ms)}</span>
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>median cost</dt>
          <dd>{group.cost === undefined ? "not counted" : cost(group.cost.median)}</dd>
        </div>
        <div>
          <dt>stops most often before</dt>
          <dd>{stall === undefined ? "nowhere" : `${seen(stall.before)} (${stall.runs})`}</dd>
        </div>
        <div>
          <dt>recent batches</dt>
          <dd>
            <Sparkline batches={batches} />
          </dd>
        </div>
      </dl>
    </article>
  );
}

function verdictOf({ passed, failed, unknown }: PageGroup) {
  return failed > 0 ? "fail" : unknown > 0 ? "inconclusive" : passed > 0 ? "pass" : "undecided";
}
