import type { PageInterval } from "../../data.ts";
import { useWidth } from "../context.ts";
import { percent, range, seen } from "../words.ts";
import { Chart } from "./chart.tsx";

export interface RateRow {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly unknown: number;
  readonly rate: number | null;
  readonly interval: PageInterval | null;
  /** Shown for comparison, such as the batch before. */
  readonly isBaseline?: boolean;
}

interface RatesProps {
  readonly title: string;
  readonly says?: string;
  readonly rows: readonly RateRow[];
  readonly id?: string;
}

/** Pass rates as dots on their 95 % intervals, from 0 to 100 %. */
export function Rates({ title, says, rows, id }: RatesProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  return (
    <Chart
      {...(id === undefined ? {} : { id })}
      title={title}
      {...(says === undefined ? {} : { says })}
      rows={rows}
      columns={[
        { title: "runs of", cell: ({ name }) => name },
        { title: "passed", cell: ({ passed }) => passed, isFigure: true },
        { title: "failed", cell: ({ failed }) => failed, isFigure: true },
        { title: "without a grade", cell: ({ unknown }) => unknown, isFigure: true },
        { title: "rate", cell: ({ rate }) => percent(rate), isFigure: true },
        { title: "95% interval", cell: ({ interval }) => range(interval), isFigure: true },
      ]}
    >
      <div class="rates">
        {rows.map((row, at) => (
          <div class={row.isBaseline ? "rate-row baseline" : "rate-row"} key={`${row.name} ${at}`}>
            <span class="rate-name">{seen(row.name)}</span>
            <div class="rate-plot">
              <RateBar row={row} width={width} />
            </div>
            <span class="rate-says">
              <strong>{percent(row.rate)}</strong> <span class="soft">{range(row.interval)}</span>
            </span>
          </div>
        ))}
        <div class="rate-row axis-lane">
          <span class="rate-name" />
          <div class="rate-plot" ref={ref}>
            <Scale width={width} />
          </div>
          <span class="rate-says" />
        </div>
      </div>
    </Chart>
  );
}

/** A rate and its interval in one line; also used where a row has little room. */
export function RateBar({ row, width }: { readonly row: RateRow; readonly width: number }) {
  const x = (share: number): number => 7 + share * (width - 14);
  const { rate, interval } = row;
  const words = rate === null ? "no graded run" : `${percent(rate)}, 95% interval ${range(interval)}`;
  return (
    <svg width={width} height={26} role="img" aria-label={`${seen(row.name)}: ${words}`}>
      <line class="lane-line" x1={x(0)} x2={x(1)} y1={13} y2={13} />
      {interval === null ? null : (
        <rect
          class="interval"
          x={x(interval.low)}
          y={7}
          width={Math.max(1, x(interval.high) - x(interval.low))}
          height={12}
          rx={6}
        />
      )}
      {rate === null ? null : <circle class="rate-dot" cx={x(rate)} cy={13} r={5.5} />}
    </svg>
  );
}

function Scale({ width }: { readonly width: number }) {
  const x = (share: number): number => 7 + share * (width - 14);
  return (
    <svg width={width} height={20} aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <g class="tick" key={share}>
          <line x1={x(share)} x2={x(share)} y1={0} y2={4} />
          <text x={x(share)} y={16} text-anchor={share === 0 ? "start" : share === 1 ? "end" : "middle"}>
            {percent(share)}
          </text>
        </g>
      ))}
    </svg>
  );
}
