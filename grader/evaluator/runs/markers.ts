import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { didYouMean } from "../../../proxy/record/near.ts";
import type { LoadedScenario } from "../../scenario/load.ts";
import { placesIn } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";
import { pointerTo, Refusal } from "../refusal.ts";
import type { Selected } from "../scenarios.ts";
import { gradeTelemetry } from "../telemetry.ts";
import type { DeskDeps } from "./desk.ts";
import type { RunOrder } from "./order.ts";

export interface Standing {
  readonly trial: Trial;
  readonly order: RunOrder;
  readonly marker?: string;
  readonly waitMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Where a run that is under way stands. With a wait, it answers when the marker was reached, else when every verdict is
 * final, at the latest when the time is up; it names what was awaited and the last event seen. Nothing is stored.
 */
export async function whereItStands(
  { trial, order, marker, waitMs, signal }: Standing,
  deps: DeskDeps,
): Promise<JsonObject> {
  const selected = await deps.shelf.select(order.scenarios, ["scenarios"]);
  const { marks, params } = order;
  const logs = [marks?.log ?? placesIn(trial.folder ?? "").telemetry];
  const since = marks === undefined ? {} : { since: marks.at };
  const own = marks === undefined ? { ...deps, locator: deps.own } : deps;
  const base = { logs, params, keep: false, ends: false, signal, ...since };
  let waited: JsonValue | undefined;
  if (waitMs !== undefined) {
    const awaited = marker === undefined ? selected : upTo(selected, marker);
    const stop = new AbortController();
    const leave = (): void => stop.abort();
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    const waits = [awaited, ...(marker === undefined ? [] : [selected])].map((which) =>
      gradeTelemetry({ ...base, selected: which, waitMs, signal: stop.signal }, own),
    );
    const first = await Promise.race(waits).finally(() => {
      signal.removeEventListener("abort", leave);
      stop.abort();
    });
    await Promise.allSettled(waits);
    waited = first.answer["waited"];
  }
  const { document } = await gradeTelemetry({ ...base, selected }, own);
  return {
    id: trial.manifest.id,
    state: trial.manifest.state,
    decided: waited !== undefined && (waited as JsonObject)["timed_out"] === false,
    results: document.results as unknown as JsonValue,
    ...(waited === undefined ? {} : { waited }),
  };
}

/** The scenarios cut behind a marker: they are decided exactly when it is reached. Throws a 404 for an unknown marker. */
export function upTo(selected: Selected, marker: string): Selected {
  if (selected.kind === "broken") return selected;
  const scenarios = selected.scenarios.flatMap((loaded) => cutBehind(loaded, marker) ?? []);
  if (scenarios.length > 0) return { kind: "loaded", scenarios };
  const known = selected.scenarios.flatMap(({ scenario }) => scenario.markers.map(({ name }) => name));
  throw new Refusal(404, "WM_SERVE_NOT_FOUND", `no scenario has a marker "${marker}"${didYouMean(marker, known)}`, {
    pointer: pointerTo(["marker"]),
    known,
  });
}

function cutBehind(loaded: LoadedScenario, marker: string): LoadedScenario | undefined {
  const { scenario } = loaded;
  const at = scenario.markers.findIndex(({ name }) => name === marker);
  const last = scenario.markers[at];
  if (last === undefined) return undefined;
  const { budget: _, passAt: __, ...rest } = scenario;
  const markers = [...scenario.markers.slice(0, at), { ...last, optional: false, advisory: false }];
  return { ...loaded, scenario: { ...rest, markers, rules: [], checks: [], provisional: false } };
}
