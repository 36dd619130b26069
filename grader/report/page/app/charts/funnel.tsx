import type { PageGroup, PageScenario } from "../../data.ts";
import { plural, seen, showDuration } from "../words.ts";
import { Chart } from "./chart.tsx";

interface Step {
  readonly name: string;
  readonly reached: number;
  readonly of: number;
  readonly median_ms?: number;
}

/** Reached k of N, marker by marker; the largest drop is named. */
export function Funnel({
  scenario,
  groups,
}: {
  readonly scenario: PageScenario;
  readonly groups: readonly PageGroup[];
}) {
  const { markers } = scenario;
  const drop = largestDrop(markers);
  const stalls = stallsOf(groups);
  const violated = scenario.rules.filter((rule) => rule.violated > 0);
  return (
    <Chart
      id="funnel"
      title="How far the runs got"
      says={
        drop ??
        (violated.length > 0
          ? "Every run reached every marker; rules decided."
          : "Every graded run reached every marker.")
      }
      rows={markers}
      columns={[
        { title: "marker", cell: ({ name }) => name },
        { title: "reached", cell: ({ reached }) => reached, isFigure: true },
        { title: "of", cell: ({ of }) => of, isFigure: true },
        {
          title: "median after the marker before",
          isFigure: true,
          cell: ({ median_ms: ms }) => (ms === undefined ? "–" : showDuration(ms)),
        },
      ]}
    >
      <ol class="funnel">
        {markers.map((step, at) => (
          <FunnelRow key={step.name} step={step} before={markers[at - 1]} />
        ))}
      </ol>
      {stalls.length === 0 ? null : (
        <ul class="plain-list soft">
          {stalls.map(({ after, before, runs }) => (
            <li key={`${after} ${before}`}>
              {plural(runs, "run")} stopped {after === undefined ? "before" : `between ${seen(after)} and`}{" "}
              {seen(before)}
            </li>
          ))}
        </ul>
      )}
      {violated.map(({ name, violated: runs }) => (
        <p key={name} class="soft">
          rule {seen(name)} was broken in {plural(runs, "run")}
        </p>
      ))}
    </Chart>
  );
}

function FunnelRow({ step, before }: { readonly step: Step; readonly before: Step | undefined }) {
  const lost = before === undefined ? step.of - step.reached : before.reached - step.reached;
  const share = step.of === 0 ? 0 : step.reached / step.of;
  return (
    <li>
      <span class="funnel-name">{seen(step.name)}</span>
      <svg
        class="funnel-bar"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        role="img"
        aria-label={`${seen(step.name)}: ${step.reached} of ${step.of}`}
      >
        <rect class="track" x="0" y="0" width="100" height="10" />
        <rect class="fill" x="0" y="0" width={share * 100} height="10" />
        {lost > 0 ? (
          <rect class="lost" x={share * 100} y="0" width={(lost / Math.max(1, step.of)) * 100} height="10" />
        ) : null}
      </svg>
      <span class="funnel-count">
        {step.reached} of {step.of}
        {lost > 0 ? <span class="fail-ink"> −{lost}</span> : null}
      </span>
    </li>
  );
}

function largestDrop(steps: readonly Step[]): string | undefined {
  let worst: { readonly lost: number; readonly at: number } | undefined;
  for (const [at, step] of steps.entries()) {
    const lost = (steps[at - 1]?.reached ?? step.of) - step.reached;
    if (lost > (worst?.lost ?? 0)) worst = { lost, at };
  }
  const step = worst && steps[worst.at];
  if (worst === undefined || step === undefined) return undefined;
  const before = steps[worst.at - 1];
  const where = before === undefined ? "before the first marker," : `between ${seen(before.name)} and`;
  return `The largest drop: ${plural(worst.lost, "run")} of ${step.of} lost ${where} ${seen(step.name)}.`;
}

/** Where runs stopped, over all groups. */
function stallsOf(groups: readonly PageGroup[]): PageGroup["stalls"] {
  const counts = new Map<string, PageGroup["stalls"][number]>();
  for (const stall of groups.flatMap((group) => group.stalls)) {
    const key = JSON.stringify([stall.after, stall.before]);
    counts.set(key, { ...stall, runs: stall.runs + (counts.get(key)?.runs ?? 0) });
  }
  return [...counts.values()].sort((a, b) => b.runs - a.runs);
}
