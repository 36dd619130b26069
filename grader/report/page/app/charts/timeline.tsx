import { useState } from "preact/hooks";
import type { PageMark, PageResult, PageRun, PageScenario } from "../../data.ts";
import { useWidth } from "../context.ts";
import { linkTo } from "../route.ts";
import { Verdict } from "../verdict.tsx";
import { plural, seen, showDuration } from "../words.ts";
import { Chart, ticksTo } from "./chart.tsx";

export interface Lane {
  readonly run: PageRun;
  readonly result: PageResult;
}

const LANE_HEIGHT = 30;
const MIDDLE = LANE_HEIGHT / 2;
const AT_ONCE = 40;

/** One lane per run: numbered dots where markers were reached, an end bar, where it stalled, and what was forbidden. */
export function Timeline({ lanes, scenario }: { readonly lanes: readonly Lane[]; readonly scenario: PageScenario }) {
  const [count, setCount] = useState(AT_ONCE);
  const { ref, width } = useWidth<HTMLDivElement>();
  const longest = Math.max(1, ...lanes.map(({ run, result }) => endOf(run, result)));
  const shown = lanes.slice(0, count);
  return (
    <Chart
      id="timeline"
      title="When each run reached each marker"
      says={
        <>
          Numbers are markers, time counts from the start of the run. <Key />
        </>
      }
      rows={lanes}
      columns={[
        { title: "run", cell: ({ run }) => run.label },
        { title: "verdict", cell: ({ result }) => result.verdict },
        ...scenario.markers.map((marker, at) => ({
          title: `${at + 1} ${seen(marker.name)}`,
          isFigure: true,
          cell: ({ result }: Lane) => markText(result.marks[at]),
        })),
        { title: "end", isFigure: true, cell: ({ run, result }) => showDuration(endOf(run, result)) },
      ]}
    >
      <div class="lanes">
        {shown.map((lane, at) => (
          <LaneRow key={`${lane.run.id} ${at}`} lane={lane} scenario={scenario} longest={longest} width={width} />
        ))}
        <div class="lane axis-lane">
          <span class="lane-name" />
          <div class="lane-plot" ref={ref}>
            <Axis width={width} longest={longest} />
          </div>
          <span class="lane-says" />
        </div>
      </div>
      {lanes.length > count ? (
        <button type="button" class="quiet" onClick={() => setCount(count + 100)}>
          Show {Math.min(100, lanes.length - count)} more of {plural(lanes.length, "run")}
        </button>
      ) : null}
    </Chart>
  );
}

function Key() {
  return (
    <span class="key">
      <span class="dot-key">1</span> reached · <span class="bar-key" /> end · <span class="limit-key" /> limit ·{" "}
      <span class="fail-ink">✕</span> forbidden
    </span>
  );
}

interface LaneProps {
  readonly lane: Lane;
  readonly scenario: PageScenario;
  readonly longest: number;
  readonly width: number;
}

function LaneRow({ lane, scenario, longest, width }: LaneProps) {
  const { run, result } = lane;
  return (
    <div class="lane">
      <span class="lane-name">
        <Verdict of={result.verdict} short />{" "}
        <a href={linkTo("run", run.id)} data-run={run.id}>
          {seen(run.label)}
        </a>
        {run.variant === undefined ? null : <span class="soft"> {seen(run.variant)}</span>}
      </span>
      <div class="lane-plot">
        <LaneDrawing lane={lane} scenario={scenario} longest={longest} width={width} />
      </div>
      <span class="lane-says">{sayLane(result)}</span>
    </div>
  );
}

function sayLane(result: PageResult): string {
  if (result.verdict === "pass") return `${result.found} of ${result.total}`;
  if (result.waiting_for !== undefined)
    return `${result.found} of ${result.total}, stopped before ${seen(result.waiting_for)}`;
  return seen(result.reason);
}

function LaneDrawing({ lane: { run, result }, scenario, longest, width }: LaneProps) {
  const x = (ms: number): number => 10 + (Math.max(0, Math.min(ms, longest)) / longest) * (width - 20);
  const end = endOf(run, result);
  const dots = dotsOf(result.marks, x);
  const last = dots.at(-1);
  const failed = result.verdict === "fail";
  return (
    <svg width={width} height={LANE_HEIGHT} role="img" aria-label={`${seen(run.label)}: ${sayLane(result)}`}>
      <line class="lane-line" x1={x(0)} x2={x(end)} y1={MIDDLE} y2={MIDDLE} />
      {failed && last !== undefined ? (
        <line class="lane-stall" x1={last.x} x2={x(end)} y1={MIDDLE} y2={MIDDLE} />
      ) : null}
      {limitsOf(result.marks, scenario).map(({ at, name }) => (
        <line key={`limit ${name}`} class="limit" x1={x(at)} x2={x(at)} y1={5} y2={LANE_HEIGHT - 5}>
          <title>{`limit for ${seen(name)}`}</title>
        </line>
      ))}
      <line class={failed ? "end fail-stroke" : "end"} x1={x(end)} x2={x(end)} y1={7} y2={LANE_HEIGHT - 7} />
      {dots.map(({ marker, x: at, isRoomy, ms }) => (
        <g key={marker} class="dot">
          <title>{`${marker + 1} ${seen(scenario.markers[marker]?.name ?? "")}, ${showDuration(ms)}`}</title>
          <circle cx={at} cy={MIDDLE} r={isRoomy ? 8.5 : 5} />
          {isRoomy ? (
            <text x={at} y={MIDDLE + 3.5}>
              {marker + 1}
            </text>
          ) : null}
        </g>
      ))}
      {result.violations.flatMap((violation, at) =>
        violation.at_ms === undefined
          ? []
          : [
              <text key={`violation ${at}`} class="forbidden" x={x(violation.at_ms)} y={MIDDLE + 5}>
                ✕<title>{seen(violation.reason)}</title>
              </text>,
            ],
      )}
    </svg>
  );
}

function dotsOf(marks: readonly PageMark[], x: (ms: number) => number) {
  const found = marks.flatMap(([status, ms], marker) =>
    status === "f" && ms !== null ? [{ marker, ms, x: x(ms) }] : [],
  );
  return found.map((dot, at) => {
    const [before, after] = [found[at - 1], found[at + 1]];
    const isRoomy = (before === undefined || dot.x - before.x >= 15) && (after === undefined || after.x - dot.x >= 12);
    return { ...dot, isRoomy };
  });
}

/** Where a marker's time was up: its limit counts from the marker before it. */
function limitsOf(marks: readonly PageMark[], { markers }: PageScenario) {
  return markers.flatMap(({ within_ms: within, name }, at) => {
    const before = marks[at - 1]?.[1];
    return within === undefined || before === null || before === undefined ? [] : [{ at: before + within, name }];
  });
}

/** The end of the launch, or the last thing known of the run. */
function endOf({ duration_ms: duration = 0 }: PageRun, { marks }: PageResult): number {
  return Math.max(duration, ...marks.map(([, at]) => at ?? 0));
}

function markText(mark: PageMark | undefined): string {
  if (mark === undefined || mark[0] === "m") return "not reached";
  if (mark[0] === "s") return "optional, not seen";
  if (mark[0] === "u") return "not decided";
  return mark[1] === null ? "reached" : showDuration(mark[1]);
}

function Axis({ width, longest }: { readonly width: number; readonly longest: number }) {
  const x = (ms: number): number => 10 + (ms / longest) * (width - 20);
  const ticks = ticksTo(longest, Math.max(2, Math.floor(width / 90)));
  return (
    <svg width={width} height={22} aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick} class="tick">
          <line x1={x(tick)} x2={x(tick)} y1={0} y2={5} />
          <text x={x(tick)} y={18} text-anchor={tick === 0 ? "start" : x(tick) > width - 30 ? "end" : "middle"}>
            {tick === 0 ? "0" : showDuration(tick)}
          </text>
        </g>
      ))}
    </svg>
  );
}
