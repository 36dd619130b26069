import type { RunVerdict } from "../../data.ts";
import { useWidth } from "../context.ts";
import { plural, SIGNS, seen } from "../words.ts";
import { Chart, ticksTo } from "./chart.tsx";

export interface Dot {
  readonly run: string;
  readonly verdict: RunVerdict;
  readonly value: number;
}

export interface Strip {
  readonly name: string;
  readonly dots: readonly Dot[];
}

interface StripsProps {
  readonly id: string;
  readonly title: string;
  readonly says?: string;
  readonly strips: readonly Strip[];
  readonly show: (value: number) => string;
}

/** From so many runs on a strip is a histogram; fewer are told apart dot by dot. */
const HISTOGRAM_FROM = 20;
const HEIGHT = 34;

/** One dot per run and a line at the median, strip by strip on one scale; never a box plot of five points. */
export function Strips({ id, title, says, strips, show }: StripsProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const largest = Math.max(0, ...strips.flatMap(({ dots }) => dots.map(({ value }) => value)));
  const rows = strips.flatMap(({ name, dots }) => dots.map((dot) => ({ name, ...dot })));
  return (
    <Chart
      id={id}
      title={title}
      {...(says === undefined ? {} : { says })}
      rows={rows}
      columns={[
        ...(strips.length > 1 ? [{ title: "of", cell: (row: (typeof rows)[number]) => row.name }] : []),
        { title: "run", cell: ({ run }) => run },
        { title: "verdict", cell: ({ verdict }) => verdict },
        { title: "value", cell: ({ value }) => show(value), isFigure: true },
      ]}
    >
      <div class="strips">
        {strips.map(({ name, dots }, at) => (
          <div class={strips.length > 1 ? "strip" : "strip single"} key={`${name} ${at}`}>
            {strips.length > 1 ? <span class="strip-name">{seen(name)}</span> : null}
            <div class="strip-plot">
              <StripDrawing name={name} dots={dots} largest={largest} width={width} show={show} />
            </div>
            <span class="strip-says">{dots.length === 0 ? "–" : show(medianOf(dots))}</span>
          </div>
        ))}
        <div class={strips.length > 1 ? "strip axis-lane" : "strip single axis-lane"}>
          {strips.length > 1 ? <span class="strip-name" /> : null}
          <div class="strip-plot" ref={ref}>
            <ValueAxis width={width} largest={largest} show={show} />
          </div>
          <span class="strip-says soft">median</span>
        </div>
      </div>
    </Chart>
  );
}

interface DrawingProps extends Strip {
  readonly largest: number;
  readonly width: number;
  readonly show: (value: number) => string;
}

function StripDrawing({ name, dots, largest, width, show }: DrawingProps) {
  const x = (value: number): number => 8 + (largest === 0 ? 0 : value / largest) * (width - 16);
  const middle = dots.length === 0 ? undefined : medianOf(dots);
  const words = middle === undefined ? "no figures" : `${plural(dots.length, "run")}, median ${show(middle)}`;
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={`${seen(name)}: ${words}`}>
      <line class="lane-line" x1={8} x2={width - 8} y1={HEIGHT - 6} y2={HEIGHT - 6} />
      {dots.length >= HISTOGRAM_FROM ? (
        <Histogram dots={dots} largest={largest} width={width} />
      ) : (
        stacked(dots, x).map(({ run, verdict, value, level }, at) => (
          <text key={`${run} ${at}`} class={`mark v-${verdict}`} x={x(value)} y={HEIGHT - 10 - level * 8}>
            {verdict === "pass" ? "●" : SIGNS[verdict]}
            <title>{`${seen(run)}, ${verdict}: ${show(value)}`}</title>
          </text>
        ))
      )}
      {middle === undefined ? null : <line class="median" x1={x(middle)} x2={x(middle)} y1={2} y2={HEIGHT - 2} />}
    </svg>
  );
}

function Histogram({ dots, largest, width }: Pick<DrawingProps, "dots" | "largest" | "width">) {
  const bins = 24;
  const counts = new Array<number>(bins).fill(0);
  for (const { value } of dots) {
    const bin = largest === 0 ? 0 : Math.min(bins - 1, Math.floor((value / largest) * bins));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  const most = Math.max(...counts);
  const step = (width - 16) / bins;
  return (
    <>
      {counts.map((count, at) => {
        const height = (count / most) * (HEIGHT - 10);
        return (
          <rect
            key={at}
            class="fill"
            x={8 + at * step + 0.5}
            y={HEIGHT - 6 - height}
            width={step - 1}
            height={height}
          />
        );
      })}
    </>
  );
}

function ValueAxis({ width, largest, show }: Pick<DrawingProps, "width" | "largest" | "show">) {
  const x = (value: number): number => 8 + (largest === 0 ? 0 : value / largest) * (width - 16);
  return (
    <svg width={width} height={18} aria-hidden="true">
      {ticksTo(largest, Math.max(2, Math.floor(width / 100))).map((tick) => (
        <g class="tick" key={tick}>
          <text x={x(tick)} y={13} text-anchor={tick === 0 ? "start" : x(tick) > width - 30 ? "end" : "middle"}>
            {tick === 0 ? "0" : show(tick)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** The middle value, or the mean of the two in the middle. */
export function medianOf(dots: readonly { readonly value: number }[]): number {
  const sorted = dots.map(({ value }) => value).sort((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

/** Dots that would lie on each other are put one above the other, three high at most. */
function stacked(dots: readonly Dot[], x: (value: number) => number): readonly (Dot & { readonly level: number })[] {
  const ends = [-99, -99, -99];
  return [...dots]
    .sort((a, b) => a.value - b.value)
    .map((dot) => {
      const free = ends.findIndex((end) => x(dot.value) - end >= 9);
      const level = free === -1 ? 2 : free;
      ends[level] = x(dot.value);
      return { ...dot, level };
    });
}
