import type { PageResult, PageScenario } from "../../data.ts";
import { seen, showDuration } from "../words.ts";

interface MarkerListProps {
  readonly scenario: PageScenario;
  readonly result: PageResult;
  readonly chosen: number | undefined;
  /** The marker last reached at the time that is shown. */
  readonly current: number | undefined;
  readonly onChoose: (marker: number) => void;
}

/** The markers of a run in order; choosing one seeks to it and opens its event. */
export function MarkerList({ scenario, result, chosen, current, onChoose }: MarkerListProps) {
  const stalled = result.marks.findIndex(([status]) => status === "m" || status === "u");
  return (
    <ol class="markers" aria-label="Markers">
      {scenario.markers.map(({ name }, at) => {
        const [status, ms, after] = result.marks[at] ?? ["m", null, null];
        const classes = [
          "marker",
          `m-${status}`,
          ...(at === current ? ["current"] : []),
          ...(at === stalled ? ["stalled"] : []),
        ];
        return (
          <li key={name}>
            <button
              type="button"
              class={classes.join(" ")}
              data-marker={at}
              aria-pressed={at === chosen}
              aria-current={at === current ? "step" : undefined}
              onClick={() => onChoose(at)}
            >
              <span class="marker-number">{at + 1}</span>
              <span class="marker-sign" aria-hidden="true">
                {status === "f" ? "✓" : at === stalled ? (status === "u" ? "?" : "✗") : "–"}
              </span>
              <span class="marker-name">{seen(name)}</span>
              <span class="marker-time">{status === "f" ? timeOf(ms, after) : wordFor(status, at === stalled)}</span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function wordFor(status: string, isStall: boolean): string {
  if (status === "s") return "optional, not seen";
  if (status === "u") return "not decided";
  return isStall ? "not found" : "not reached";
}

/** Time since the marker before; the first one has none, so that its place in the run is told. */
function timeOf(ms: number | null, after: number | null): string {
  if (after !== null && after > 0) return `+${showDuration(after)}`;
  return ms === null ? "" : showDuration(ms);
}
