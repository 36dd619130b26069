import { useState } from "preact/hooks";
import type { PageComparison, PageRun, PageShift, PageSide } from "../../data.ts";
import { Chart, Table } from "../charts/chart.tsx";
import { Rates } from "../charts/rate.tsx";
import { usePage, useWidth } from "../context.ts";
import { linkTo } from "../route.ts";
import { Media, usePlayer } from "../run/media.tsx";
import { Verdict } from "../verdict.tsx";
import { cost, scenarioName, seen, showCount, showDuration, signed } from "../words.ts";

/** Is B worse than A? */
export function Compare() {
  const { data, route } = usePage();
  const at = Number(route.of) || 0;
  const comparison = data.comparisons[at];
  if (comparison === undefined)
    return (
      <>
        <h1>Compare</h1>
        <p>There are no two sides to compare: no second variant, and no second batch.</p>
        <p class="soft">
          <code>waymark run --variant A=CMD --variant B=CMD</code> makes two;{" "}
          <code>waymark report batch:A batch:B</code> takes two batches.
        </p>
      </>
    );
  return (
    <>
      <div class="screen-head">
        <h1>
          {seen(comparison.names[0])} <span class="soft">against</span> {seen(comparison.names[1])}
        </h1>
        {data.comparisons.length < 2 ? null : (
          <label class="picker">
            Comparison{" "}
            <select
              value={at}
              onChange={(event) => {
                location.hash = linkTo("compare", event.currentTarget.value);
              }}
            >
              {data.comparisons.map(({ names, scenario }, position) => (
                <option key={position} value={position}>
                  {seen(names[0])} against {seen(names[1])}, {scenarioName(data.scenarios[scenario], data.scenarios)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <p class="lead" id="compare-verdict">
        {seen(comparison.verdict)}
      </p>
      <p class="side-links">
        {comparison.sides.map((side, position) => (
          <a key={position} class="side-link" href={sideLink(side, data.runs)}>
            all runs of {seen(side.name)}
          </a>
        ))}
      </p>
      <Rates
        title="How often each side passes"
        rows={comparison.sides.map((side) => ({ ...side }))}
        says={differenceWords(comparison)}
      />
      <ul class="plain-list sentences">
        {comparison.words.map((words) => (
          <li key={words}>{seen(words)}</li>
        ))}
      </ul>
      <div class="columns">
        {comparison.sides.map((side, position) => (
          <SideFunnel key={position} side={side} />
        ))}
      </div>
      <Shifts title="What each step takes" names={comparison.names} shifts={comparison.gaps} />
      <Totals names={comparison.names} shifts={comparison.totals} />
      <Flips comparison={comparison} />
      <SideBySide key={at} comparison={comparison} />
    </>
  );
}

function sideLink(side: PageSide, runs: readonly PageRun[]): string {
  const first = runs[side.runs[0] ?? -1];
  return linkTo("overview", "", first?.variant === side.name ? { variant: side.name } : { batch: side.name });
}

function differenceWords({ difference, names }: PageComparison): string {
  const { estimate, low, high } = difference;
  if (estimate === null) return "One side has no graded run.";
  const points = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(Math.round(share * 100))}`;
  if (estimate === 0)
    return `${seen(names[1])} passes as often as ${seen(names[0])} (95% interval of the difference ${points(-high)} to ${points(-low)}).`;
  return `${seen(names[1])} passes ${points(-estimate)} points against ${seen(names[0])} (95% interval ${points(-high)} to ${points(-low)}).`;
}

function SideFunnel({ side }: { readonly side: PageSide }) {
  return (
    <Chart
      title={`How far ${seen(side.name)} got`}
      rows={side.funnel}
      columns={[
        { title: "marker", cell: ({ marker }) => marker },
        { title: "reached", cell: ({ reached }) => reached, isFigure: true },
        { title: "of", cell: ({ of }) => of, isFigure: true },
      ]}
    >
      <ol class="funnel">
        {side.funnel.map(({ marker, reached, of }) => (
          <li key={marker}>
            <span class="funnel-name">{seen(marker)}</span>
            <svg
              class="funnel-bar"
              viewBox="0 0 100 10"
              preserveAspectRatio="none"
              role="img"
              aria-label={`${seen(marker)}: ${reached} of ${of}`}
            >
              <rect class="track" width="100" height="10" />
              <rect class="fill" width={of === 0 ? 0 : (reached / of) * 100} height="10" />
            </svg>
            <span class="funnel-count">
              {reached} of {of}
            </span>
          </li>
        ))}
      </ol>
    </Chart>
  );
}

interface ShiftsProps {
  readonly title: string;
  readonly names: readonly [string, string];
  readonly shifts: readonly PageShift[];
}

/** How much longer B takes than A, step by step; to the right is slower. */
function Shifts({ title, names, shifts }: ShiftsProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const largest = Math.max(
    1,
    ...shifts.flatMap(({ shift, low, high }) => [shift, low, high].map((value) => Math.abs(value ?? 0))),
  );
  const x = (ms: number): number => width / 2 + (ms / largest) * (width / 2 - 10);
  return (
    <Chart
      title={title}
      says={`To the right ${seen(names[1])} is slower than ${seen(names[0])}. Bars are 95% intervals, where there are runs enough for one.`}
      rows={shifts}
      columns={[
        { title: "marker", cell: ({ name }) => name },
        { title: `median of ${seen(names[0])}`, cell: ({ a }) => (a === null ? "–" : showDuration(a)), isFigure: true },
        { title: `median of ${seen(names[1])}`, cell: ({ b }) => (b === null ? "–" : showDuration(b)), isFigure: true },
        { title: "difference", cell: ({ shift }) => (shift === null ? "–" : signed(-shift)), isFigure: true },
      ]}
    >
      <div class="strips">
        {shifts.map(({ name, shift, low, high }) => (
          <div class="strip" key={name}>
            <span class="strip-name">{seen(name)}</span>
            <div class="strip-plot">
              <svg
                width={width}
                height={26}
                role="img"
                aria-label={`${seen(name)}: ${shift === null ? "no difference known" : signed(-shift)}`}
              >
                <line class="lane-line" x1={x(0)} x2={x(0)} y1={2} y2={24} />
                {low === null || high === null ? null : (
                  <rect
                    class="interval"
                    x={x(-high)}
                    y={8}
                    width={Math.max(1, x(-low) - x(-high))}
                    height={10}
                    rx={5}
                  />
                )}
                {shift === null ? null : <circle class="rate-dot" cx={x(-shift)} cy={13} r={5} />}
              </svg>
            </div>
            <span class="strip-says">{shift === null ? "–" : signed(-shift)}</span>
          </div>
        ))}
        <div class="strip axis-lane">
          <span class="strip-name" />
          <div class="strip-plot" ref={ref} />
          <span class="strip-says" />
        </div>
      </div>
    </Chart>
  );
}

function Totals({ names, shifts }: Omit<ShiftsProps, "title">) {
  if (shifts.length === 0) return null;
  const show = (unit: PageShift["unit"], value: number | null): string =>
    value === null
      ? "not counted"
      : unit === "ms"
        ? showDuration(value)
        : unit === "usd"
          ? cost(value)
          : showCount(Math.round(value));
  return (
    <section aria-labelledby="totals-title">
      <h2 class="small" id="totals-title">
        Whole runs, at the median
      </h2>
      <Table
        name="Whole runs"
        rows={shifts}
        columns={[
          { title: "of", cell: ({ name }) => name },
          { title: seen(names[0]), cell: ({ unit, a }) => show(unit, a), isFigure: true },
          { title: seen(names[1]), cell: ({ unit, b }) => show(unit, b), isFigure: true },
        ]}
      />
    </section>
  );
}

function Flips({ comparison }: { readonly comparison: PageComparison }) {
  const { runs } = usePage().data;
  const { flips, names } = comparison;
  return (
    <section aria-labelledby="flips-title">
      <h2 class="small" id="flips-title">
        Runs that came out differently
      </h2>
      {flips.length === 0 ? (
        <p class="soft">None: run by run both sides came out alike.</p>
      ) : (
        <ul class="plain-list flips">
          {flips.slice(0, 60).map(({ a, b, to, task }, at) => (
            <li key={at}>
              {task === undefined ? null : <span class="soft">{seen(task)}: </span>}
              {seen(names[0])} <a href={linkTo("run", runs[a]?.id)}>{seen(runs[a]?.label ?? "")}</a>{" "}
              <Verdict of={to === "pass" ? "fail" : "pass"} />, {seen(names[1])}{" "}
              <a href={linkTo("run", runs[b]?.id)}>{seen(runs[b]?.label ?? "")}</a> <Verdict of={to} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Two runs next to each other, brought to the same marker by one click. */
function SideBySide({ comparison }: { readonly comparison: PageComparison }) {
  const { data } = usePage();
  const flip = comparison.flips[0];
  const [chosen, setChosen] = useState<readonly [number, number]>([
    flip?.a ?? comparison.sides[0].runs[0] ?? 0,
    flip?.b ?? comparison.sides[1].runs[0] ?? 0,
  ]);
  const [runA, runB] = [data.runs[chosen[0]], data.runs[chosen[1]]];
  const [playerA, playerB] = [usePlayer(runA?.id ?? ""), usePlayer(runB?.id ?? "")];
  const scenario = data.scenarios[comparison.scenario];
  const markOf = (run: PageRun | undefined, marker: number): number | null =>
    run?.results.find((result) => result.scenario === comparison.scenario)?.marks[marker]?.[1] ?? null;
  const goTo = (marker: number): void => {
    const [a, b] = [markOf(runA, marker), markOf(runB, marker)];
    if (a !== null) playerA.seek(a);
    if (b !== null) playerB.seek(b);
  };
  const picker = (side: 0 | 1) => (
    <label>
      {seen(comparison.names[side])}{" "}
      <select
        value={chosen[side]}
        onChange={(event) => {
          const next = Number(event.currentTarget.value);
          setChosen(side === 0 ? [next, chosen[1]] : [chosen[0], next]);
        }}
      >
        {comparison.sides[side].runs.map((position) => (
          <option key={position} value={position}>
            {seen(data.runs[position]?.label ?? "")} {data.runs[position]?.verdict}
          </option>
        ))}
      </select>
    </label>
  );
  const hasMedia = [runA, runB].some((run) => (run?.media.length ?? 0) > 0);
  return (
    <section aria-labelledby="pair-title">
      <h2 class="small" id="pair-title">
        Two runs, marker by marker
      </h2>
      <div class="pair-pickers">
        {picker(0)} {picker(1)}
      </div>
      {hasMedia ? (
        <div class="columns">
          {[[runA, playerA] as const, [runB, playerB] as const].map(([run, player], side) => (
            <div key={side}>
              {run === undefined || run.media.length === 0 ? (
                <p class="soft">no video</p>
              ) : (
                <Media run={run} player={player} />
              )}
            </div>
          ))}
        </div>
      ) : null}
      <ol class="pair-markers">
        {(scenario?.markers ?? []).map(({ name }, marker) => {
          const [a, b] = [markOf(runA, marker), markOf(runB, marker)];
          return (
            <li key={name}>
              <span class={a === null ? "fail-ink" : undefined}>{a === null ? "✗ not reached" : showDuration(a)}</span>
              {hasMedia ? (
                <button type="button" class="quiet" onClick={() => goTo(marker)}>
                  {marker + 1} {seen(name)}
                </button>
              ) : (
                <span>
                  {marker + 1} {seen(name)}
                </span>
              )}
              <span class={b === null ? "fail-ink" : undefined}>{b === null ? "✗ not reached" : showDuration(b)}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
