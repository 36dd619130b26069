import type { PageBatch } from "../../data.ts";
import { percent } from "../words.ts";

/** The pass rates of recent batches in a small line. */
export function Sparkline({ batches }: { readonly batches: readonly PageBatch[] }) {
  const rated = batches.flatMap(({ rate }) => (rate === null ? [] : [rate])).slice(-12);
  const last = rated.at(-1);
  if (rated.length < 2 || last === undefined) return <span class="soft">first batch</span>;
  const x = (at: number): number => 4 + (at / (rated.length - 1)) * 72;
  const y = (rate: number): number => 20 - rate * 16;
  return (
    <svg
      width={80}
      height={24}
      role="img"
      aria-label={`pass rates of the last ${rated.length} batches: ${rated.map(percent).join(", ")}`}
    >
      <polyline class="spark" points={rated.map((rate, at) => `${x(at)},${y(rate)}`).join(" ")} />
      <circle class="rate-dot" cx={x(rated.length - 1)} cy={y(last)} r={3} />
    </svg>
  );
}
