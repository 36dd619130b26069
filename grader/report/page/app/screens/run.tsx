import { useState } from "preact/hooks";
import type { PageResult, PageRun, PageScenario } from "../../data.ts";
import { useKeys, useLoaded, usePage } from "../context.ts";
import { linkTo, parseRoute, replaceRoute } from "../route.ts";
import { Detail } from "../run/detail.tsx";
import { EventsTab } from "../run/events-tab.tsx";
import { MarkerList } from "../run/marker-list.tsx";
import { Media, togglePlay, usePlayer } from "../run/media.tsx";
import { Ruler } from "../run/ruler.tsx";
import { EnvironmentTab, ProcessTab, SaidTab, StepsTab, type Tab, Tabs } from "../run/tabs.tsx";
import { Verdict } from "../verdict.tsx";
import { cost, scenarioName, seen, showDuration } from "../words.ts";

/** What happened in one run? */
export function Run() {
  const { data, route } = usePage();
  const at = data.runs.findIndex(({ id }) => id === route.of);
  const run = data.runs[at];
  useKeys((key) => {
    // By the address, which is ahead of the screen when keys come quickly.
    const here = data.runs.findIndex(({ id }) => id === parseRoute(location.hash).of);
    const next = data.runs[key === "j" ? here + 1 : key === "k" ? here - 1 : -1];
    if (next === undefined) return false;
    location.hash = linkTo("run", next.id);
    return true;
  });
  if (run === undefined) return <p>This page has no run {seen(route.of)}.</p>;
  const chosen = Math.min(Number(route.query.get("result")) || 0, Math.max(0, run.results.length - 1));
  const result = run.results[chosen];
  return (
    <>
      <RunHead run={run} at={at} result={result} />
      {run.results.length > 1 ? <ResultChoice run={run} chosen={chosen} /> : null}
      {result === undefined ? (
        <Ungraded run={run} />
      ) : (
        <Graded key={`${run.id} ${chosen}`} run={run} result={result} position={chosen} />
      )}
    </>
  );
}

function RunHead({
  run,
  at,
  result,
}: {
  readonly run: PageRun;
  readonly at: number;
  readonly result: PageResult | undefined;
}) {
  const { data } = usePage();
  const [before, after] = [data.runs[at - 1], data.runs[at + 1]];
  return (
    <div class="run-head">
      <p class="eyebrow">
        {result === undefined ? null : (
          <a href={linkTo("scenario", String(result.scenario))}>
            {scenarioName(data.scenarios[result.scenario], data.scenarios)}
          </a>
        )}
        {[run.variant, run.task].flatMap((part) => (part === undefined ? [] : [` · ${seen(part)}`]))}
      </p>
      <div class="screen-head">
        <h1>
          {seen(run.label)} <Verdict of={run.verdict} />
        </h1>
        <nav class="steps" aria-label="Runs before and after">
          {before === undefined ? (
            <span class="soft">first</span>
          ) : (
            <a href={linkTo("run", before.id)}>← {seen(before.label)}</a>
          )}
          {after === undefined ? (
            <span class="soft">last</span>
          ) : (
            <a href={linkTo("run", after.id)}>{seen(after.label)} →</a>
          )}
        </nav>
      </div>
      {run.reason === "" ? null : (
        <p class="reason" id="reason">
          {seen(run.reason)}
        </p>
      )}
      <p class="run-facts soft">
        {[
          run.duration_ms === undefined ? "" : showDuration(run.duration_ms),
          run.cost_usd === undefined ? "cost not counted" : cost(run.cost_usd),
          run.claim === undefined ? "the agent said nothing" : `the agent said “${seen(run.claim)}”`,
        ]
          .filter((part) => part !== "")
          .join(" · ")}
        {run.agrees === false ? <strong class="warn-ink"> ▲ disagrees with the grade</strong> : null}
        {result?.for_agent === undefined ? null : <CopyButton text={result.for_agent} />}
      </p>
    </div>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const [state, setState] = useState<"" | "copied" | "shown">("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState("copied");
    } catch {
      setState("shown"); // no clipboard here: the text is shown, to be copied by hand
    }
  };
  return (
    <>
      {" "}
      <button type="button" class="quiet" id="copy-for-agent" onClick={() => void copy()}>
        Copy for agent
      </button>
      <span role="status">{state === "copied" ? " copied" : ""}</span>
      {state === "shown" ? (
        <textarea class="copy-text" aria-label="Text for an agent" readOnly rows={8} value={text} />
      ) : null}
    </>
  );
}

function ResultChoice({ run, chosen }: { readonly run: PageRun; readonly chosen: number }) {
  const { scenarios } = usePage().data;
  return (
    <p class="choices">
      {run.results.map((result, at) => (
        <button
          key={at}
          type="button"
          aria-pressed={at === chosen}
          onClick={() => replaceRoute(linkTo("run", run.id, { result: String(at) }))}
        >
          <Verdict of={result.verdict} short /> {scenarioName(scenarios[result.scenario], scenarios)}
          {result.session === undefined ? "" : ` · session ${seen(result.session)}`}
        </button>
      ))}
    </p>
  );
}

interface GradedProps {
  readonly run: PageRun;
  readonly result: PageResult;
  readonly position: number;
}

function Graded({ run, result, position }: GradedProps) {
  const { data, route, source } = usePage();
  const scenario = data.scenarios[result.scenario] as PageScenario;
  const lines = useLoaded(() => source.linesOf(run), [run.id]);
  const player = usePlayer(run.id);
  const chosen = chosenMarker(route.query.get("marker"), result);
  const stay = { result: position === 0 ? undefined : String(position), tab: route.query.get("tab") ?? undefined };
  const choose = (marker: number): void => {
    replaceRoute(linkTo("run", run.id, { ...stay, marker: String(marker + 1) }));
    const at = result.marks[marker]?.[1] ?? missTime(marker);
    if (at !== null && at !== undefined) player.seek(at);
  };
  const missTime = (marker: number): number | undefined => {
    const miss = result.misses.find((one) => one.marker === marker);
    return lines.kind === "ready"
      ? lines.value.find(({ file, line }) => file === miss?.file && line === miss.line)?.at
      : undefined;
  };
  useKeys((key) => {
    if (key === " ") return togglePlay();
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[key];
    if (step === undefined || key === "ArrowDown" || key === "ArrowUp") return false;
    choose(Math.max(0, Math.min(scenario.markers.length - 1, (chosen ?? -1) + step)));
    return true;
  });
  const marks = result.marks.flatMap(([status, at], marker) =>
    status === "f" && at !== null ? [{ marker, at, name: scenario.markers[marker]?.name ?? "" }] : [],
  );
  const all = lines.kind === "ready" ? lines.value : [];
  const end = all.reduce(
    (latest, { at = 0 }) => Math.max(latest, at),
    Math.max(run.duration_ms ?? 0, ...marks.map(({ at }) => at)),
  );
  const current =
    player.asked === 0 && player.at === 0 ? undefined : marks.findLast(({ at }) => at <= player.at + 1)?.marker;
  return (
    <>
      <Ruler lines={all} marks={marks} end={end} at={player.at} onSeek={player.seek} />
      <div class={run.media.length > 0 ? "run-columns with-media" : "run-columns"}>
        {run.media.length > 0 ? <Media run={run} player={player} /> : null}
        <div class="run-markers">
          <MarkerList scenario={scenario} result={result} chosen={chosen} current={current} onChoose={choose} />
          <Violations result={result} />
        </div>
        {chosen === undefined ? null : (
          <Detail run={run} scenario={scenario} result={result} marker={chosen} lines={lines} />
        )}
      </div>
      <Tabs
        tabs={tabsOf(run, () => (
          <EventsTab run={run} lines={lines} markers={markersByLine(result)} at={player.at} onSeek={player.seek} />
        ))}
        chosen={route.query.get("tab") ?? "events"}
        onChoose={(tab) =>
          replaceRoute(linkTo("run", run.id, { ...stay, tab, marker: route.query.get("marker") ?? undefined }))
        }
      />
    </>
  );
}

/** The marker the address names; else the one that was not found, else the first. */
function chosenMarker(asked: string | null, { marks }: PageResult): number | undefined {
  const own = Number(asked) - 1;
  if (asked !== null && marks[own] !== undefined) return own;
  const stalled = marks.findIndex(([status]) => status === "m" || status === "u");
  return stalled === -1 ? (marks.length === 0 ? undefined : 0) : stalled;
}

function markersByLine({ marks }: PageResult): ReadonlyMap<string, number> {
  return new Map(
    marks.flatMap(([, , , file, line], marker) =>
      file === null || line === null ? [] : [[`${file}:${line}`, marker] as const],
    ),
  );
}

function Violations({ result }: { readonly result: PageResult }) {
  if (result.violations.length + result.warnings.length === 0) return null;
  return (
    <ul class="plain-list violations">
      {result.violations.slice(0, 20).map((violation, at) => (
        <li key={at}>
          <span class={violation.decides ? "fail-ink" : "warn-ink"}>{violation.decides ? "✕" : "▲"}</span>{" "}
          {seen(violation.rule)}: {seen(violation.reason)}
        </li>
      ))}
      {result.warnings.map((warning) => (
        <li key={warning}>
          <span class="warn-ink">▲</span> {seen(warning)}
        </li>
      ))}
    </ul>
  );
}

function tabsOf(run: PageRun, events: Tab["content"]): readonly Tab[] {
  return [
    { id: "events", words: "Events", content: events },
    { id: "said", words: "Self-report", content: () => <SaidTab run={run} /> },
    ...(run.steps.length === 0 ? [] : [{ id: "steps", words: "Steps", content: () => <StepsTab run={run} /> }]),
    { id: "environment", words: "Environment", content: () => <EnvironmentTab run={run} /> },
    { id: "process", words: "Process log", content: () => <ProcessTab run={run} /> },
  ];
}

/** A run without a result: why, and what there is of it. */
function Ungraded({ run }: { readonly run: PageRun }) {
  const { route, source } = usePage();
  const lines = useLoaded(() => source.linesOf(run), [run.id]);
  const player = usePlayer(run.id);
  return (
    <>
      <p>This run has no grade.</p>
      {run.media.length > 0 ? <Media run={run} player={player} /> : null}
      <Tabs
        tabs={tabsOf(run, () => (
          <EventsTab run={run} lines={lines} markers={new Map()} at={player.at} onSeek={player.seek} />
        ))}
        chosen={route.query.get("tab") ?? "process"}
        onChoose={(tab) => replaceRoute(linkTo("run", run.id, { tab }))}
      />
    </>
  );
}
