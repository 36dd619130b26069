import type { PageBatch } from "../../data.ts";
import { Chart, ticksTo } from "../charts/chart.tsx";
import { usePage, useWidth } from "../context.ts";
import { ScenarioPicker } from "../shell.tsx";
import { day, percent, plural, range, scenarioName, seen } from "../words.ts";

/** Since when? Batches in time, with their intervals, and what changed between them. */
export function Trend() {
  const { data, route } = usePage();
  const at = Number(route.of) || 0;
  const scenario = data.scenarios[at];
  const batches = data.history.filter((batch) => batch.scenario === scenario?.name);
  return (
    <>
      <div class="screen-head">
        <h1>{scenarioName(scenario, data.scenarios)}</h1>
        <ScenarioPicker screen="trend" at={at} />
      </div>
      {batches.length === 0 ? <p>No batch of this scenario has been kept.</p> : <TrendChart batches={batches} />}
    </>
  );
}

const HEIGHT = 220;
const TOP = 12;
const FLOOR = 180;

function TrendChart({ batches }: { readonly batches: readonly PageBatch[] }) {
  const { ref, width } = useWidth<HTMLDivElement>(800);
  const step = batches.length === 1 ? 0 : (width - 70) / (batches.length - 1);
  const x = (at: number): number => (batches.length === 1 ? width / 2 : 46 + at * step);
  const y = (share: number): number => FLOOR - share * (FLOOR - TOP);
  const banded = batches.flatMap(({ interval }, at) => (interval === null ? [] : [{ at, interval }]));
  const band = [
    ...banded.map(({ at, interval }) => `${x(at)},${y(interval.high)}`),
    ...banded.toReversed().map(({ at, interval }) => `${x(at)},${y(interval.low)}`),
  ].join(" ");
  return (
    <Chart
      title="Pass rate, batch by batch"
      says={trendWords(batches)}
      rows={batches}
      columns={[
        { title: "batch", cell: ({ at }) => day(at) },
        { title: "passed", cell: ({ passed }) => passed, isFigure: true },
        { title: "failed", cell: ({ failed }) => failed, isFigure: true },
        { title: "rate", cell: ({ rate }) => percent(rate), isFigure: true },
        { title: "95% interval", cell: ({ interval }) => range(interval), isFigure: true },
        { title: "markers", cell: ({ sha256 }) => sha256.slice(0, 7) },
        { title: "changed before it", cell: ({ changed }) => changed.join(", ") },
      ]}
    >
      <div ref={ref}>
        <svg width={width} height={HEIGHT} role="img" aria-label={trendWords(batches)}>
          {[0, 0.5, 1].map((share) => (
            <g class="tick" key={share}>
              <line class="grid" x1={40} x2={width - 10} y1={y(share)} y2={y(share)} />
              <text x={34} y={y(share) + 4} text-anchor="end">
                {percent(share)}
              </text>
            </g>
          ))}
          {banded.length > 1 ? <polygon class="band" points={band} /> : null}
          {banded.length === 1 && banded[0] !== undefined ? (
            <rect
              class="interval"
              x={x(banded[0].at) - 5}
              y={y(banded[0].interval.high)}
              width={10}
              height={y(banded[0].interval.low) - y(banded[0].interval.high)}
              rx={5}
            />
          ) : null}
          <polyline
            class="spark"
            points={batches.flatMap(({ rate }, at) => (rate === null ? [] : [`${x(at)},${y(rate)}`])).join(" ")}
          />
          {batches.map((batch, at) => (
            <g key={batch.id}>
              {batch.rate === null ? null : (
                <circle
                  class={batch.shown ? "rate-dot shown" : "rate-dot"}
                  cx={x(at)}
                  cy={y(batch.rate)}
                  r={batch.shown ? 6 : 4}
                >
                  <title>{`${day(batch.at)}: ${percent(batch.rate)}, ${range(batch.interval)}`}</title>
                </circle>
              )}
              {batch.changed.length === 0 ? null : (
                <text class="changed" x={x(at) - step / 2} y={FLOOR + 18} text-anchor="middle">
                  ▲<title>{batch.changed.map(seen).join(", ")}</title>
                </text>
              )}
            </g>
          ))}
          <DateAxis batches={batches} x={x} width={width} />
        </svg>
      </div>
      <Changes batches={batches} />
    </Chart>
  );
}

function DateAxis({
  batches,
  x,
  width,
}: {
  readonly batches: readonly PageBatch[];
  readonly x: (at: number) => number;
  readonly width: number;
}) {
  const shown = ticksTo(batches.length - 1, Math.max(1, Math.floor(width / 150))).filter((at) => Number.isInteger(at));
  const isOneDay = batches[0]?.at.slice(0, 10) === batches.at(-1)?.at.slice(0, 10);
  return (
    <>
      {shown.map((at) => {
        const batch = batches[at];
        return batch === undefined ? null : (
          <g class="tick" key={at}>
            <text
              x={x(at)}
              y={HEIGHT - 6}
              text-anchor={at === 0 && batches.length > 1 ? "start" : x(at) > width - 60 ? "end" : "middle"}
            >
              {isOneDay ? batch.at.slice(11, 16) : batch.at.slice(0, 10)}
            </text>
          </g>
        );
      })}
    </>
  );
}

function Changes({ batches }: { readonly batches: readonly PageBatch[] }) {
  const changed = batches.filter((batch) => batch.changed.length > 0);
  if (batches.length < 2) return null;
  if (changed.length === 0) return <p class="soft">Nothing that waymark knows of changed between these batches.</p>;
  return (
    <ul class="plain-list">
      {changed.map((batch) => (
        <li key={batch.id}>
          <span class="soft">▲ before {day(batch.at)}:</span> {batch.changed.map(seen).join(", ")}
        </li>
      ))}
    </ul>
  );
}

/** Says a fall or a rise only where two intervals do not touch. */
function trendWords(batches: readonly PageBatch[]): string {
  const last = batches.at(-1);
  if (last === undefined || batches.length < 2) return "One batch so far; a trend needs more.";
  for (const earlier of batches.slice(0, -1).toReversed()) {
    if (earlier.interval === null || last.interval === null) continue;
    if (earlier.interval.low > last.interval.high)
      return `Lower than on ${day(earlier.at)}: ${range(last.interval)} against ${range(earlier.interval)}.`;
    if (earlier.interval.high < last.interval.low)
      return `Higher than on ${day(earlier.at)}: ${range(last.interval)} against ${range(earlier.interval)}.`;
  }
  return `Over ${plural(batches.length, "batch", "batches")} no two intervals are apart: nothing shows that the rate has changed.`;
}
