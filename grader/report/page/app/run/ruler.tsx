import type { LogLine } from "../../log-lines.ts";
import { ticksTo } from "../charts/chart.tsx";
import { useWidth } from "../context.ts";
import { clock, plural, seen, showDuration } from "../words.ts";

export interface RulerMark {
  readonly marker: number;
  readonly name: string;
  readonly at: number;
}

interface RulerProps {
  readonly lines: readonly LogLine[];
  readonly marks: readonly RulerMark[];
  readonly end: number;
  readonly at: number;
  readonly onSeek: (ms: number) => void;
}

const HEIGHT = 64;
const FLOOR = 44;
const BIN = 3;

/** The run's time from left to right: every event as a stroke, markers as numbers above them, and where one is. */
export function Ruler({ lines, marks, end, at, onSeek }: RulerProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const span = Math.max(1, end);
  const x = (ms: number): number => 8 + (Math.max(0, Math.min(ms, span)) / span) * (width - 16);
  const toTime = (clientX: number, element: Element): number => {
    const inside = (clientX - element.getBoundingClientRect().left - 8) / (width - 16);
    return Math.max(0, Math.min(1, inside)) * span;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = {
      ArrowRight: span / 100,
      ArrowLeft: -span / 100,
      PageUp: span / 10,
      PageDown: -span / 10,
      Home: -span,
      End: span,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    onSeek(Math.max(0, Math.min(span, at + step)));
  };
  return (
    <div
      class="ruler"
      ref={ref}
      role="slider"
      tabIndex={0}
      data-own-keys=""
      aria-label={`Time in the run, ${plural(lines.length, "event")}`}
      aria-valuemin={0}
      aria-valuemax={Math.round(span)}
      aria-valuenow={Math.round(Math.min(at, span))}
      aria-valuetext={clock(at, span)}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onSeek(toTime(event.clientX, event.currentTarget));
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(toTime(event.clientX, event.currentTarget));
      }}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        <Strokes lines={lines} x={x} width={width} />
        <line class="lane-line" x1={8} x2={width - 8} y1={FLOOR} y2={FLOOR} />
        {ticksTo(span, Math.max(2, Math.floor(width / 90))).map((tick) => (
          <g class="tick" key={tick}>
            <line x1={x(tick)} x2={x(tick)} y1={FLOOR} y2={FLOOR + 4} />
            <text
              x={x(tick)}
              y={FLOOR + 16}
              text-anchor={tick === 0 ? "start" : x(tick) > width - 30 ? "end" : "middle"}
            >
              {showDuration(tick)}
            </text>
          </g>
        ))}
        {marks.map(({ marker, name, at: ms }) => (
          <g class="dot" key={marker}>
            <title>{`${marker + 1} ${seen(name)}`}</title>
            <line class="dot-stem" x1={x(ms)} x2={x(ms)} y1={16} y2={FLOOR} />
            <circle cx={x(ms)} cy={10} r={8} />
            <text x={x(ms)} y={13.5}>
              {marker + 1}
            </text>
          </g>
        ))}
        <line class="playhead" x1={x(at)} x2={x(at)} y1={0} y2={FLOOR + 4} />
      </svg>
    </div>
  );
}

/** Events that fall together make a taller stroke. */
function Strokes({
  lines,
  x,
  width,
}: {
  readonly lines: readonly LogLine[];
  readonly x: (ms: number) => number;
  readonly width: number;
}) {
  const bins = new Map<number, number>();
  for (const { at } of lines) {
    if (at === undefined) continue;
    const bin = Math.floor(x(at) / BIN);
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  const most = Math.max(1, ...bins.values());
  const height = (count: number): number => 4 + Math.sqrt(count / most) * 18;
  const path = [...bins].map(([bin, count]) => `M${(bin + 0.5) * BIN} ${FLOOR}v-${height(count).toFixed(1)}`).join("");
  return <path class="strokes" d={path} data-width={width} />;
}
