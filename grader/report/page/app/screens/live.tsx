import { useEffect, useState } from "preact/hooks";
import type { LiveMarker, LiveRule, LiveRun, LiveScenario } from "../../../../watch/live-run.ts";
import { usePage } from "../context.ts";
import { linkTo } from "../route.ts";
import { Verdict } from "../verdict.tsx";
import { plural, seen, showDuration } from "../words.ts";

/** What happens now: every run under way, its markers lighting up as they are reached, and what was settled last. */
export function Live() {
  const { live } = usePage();
  const runs = live?.runs ?? [];
  return (
    <>
      <div class="screen-head">
        <h1>Live</h1>
        <p class="soft" role="status" id="live-state">
          {stateWords(live?.state, runs)}
        </p>
      </div>
      {runs.length === 0 ? (
        <p class="soft" id="live-none">
          Nothing is under way. A run of <code>waymark run</code>, <code>waymark runs start</code> or an app beside{" "}
          <code>waymark proxy</code> appears here when it begins.
        </p>
      ) : (
        runs.map((run) => <LiveCard key={run.id} run={run} at={live?.at ?? 0} />)
      )}
      <Settled />
    </>
  );
}

function stateWords(state: "connected" | "lost" | undefined, runs: readonly LiveRun[]): string {
  if (state === "lost") return "The server is away; trying again.";
  return runs.length === 0 ? "Waiting." : `${plural(runs.length, "run")} under way.`;
}

function LiveCard({ run, at }: { readonly run: LiveRun; readonly at: number }) {
  const since = useSince(at);
  return (
    <article class="live-run" data-run={run.id} aria-label={`${seen(run.label)}, under way`}>
      <h2>
        {seen(run.label)}
        {[run.variant, run.task].map((part) => (part === undefined ? "" : ` · ${seen(part)}`))}
      </h2>
      <p class="soft live-facts">
        {plural(run.events, "event")}
        {run.last === undefined
          ? ""
          : ` · last ${run.last.name === "" ? "an event without a name" : seen(run.last.name)}${
              run.last.ago_ms === undefined ? "" : ` ${showDuration(run.last.ago_ms + since)} ago`
            }`}
        {run.over ? " · the app has ended, the grade comes" : ""}
      </p>
      {run.scenarios.length === 0 && run.events === 0 ? (
        <p class="soft">
          No light yet: no event has come, or there is no scenario in the server’s folder of scenarios.
        </p>
      ) : null}
      {run.scenarios.map((scenario) => (
        <LiveScenarioPart
          key={`${scenario.scenario} ${scenario.session ?? ""}`}
          scenario={scenario}
          since={run.over ? 0 : since}
        />
      ))}
    </article>
  );
}

const STATE_WORDS = { live: "live", pass: "passed", fail: "failed", over: "over", error: "error" } as const;
const STATE_SIGNS = { live: "●", pass: "✓", fail: "✗", over: "■", error: "!" } as const;

function LiveScenarioPart({ scenario, since }: { readonly scenario: LiveScenario; readonly since: number }) {
  const { state, lit, of, elapsed_ms: elapsed } = scenario;
  const isGoing = state === "live";
  return (
    <section class={`live-scenario live-${state}`} aria-label={seen(scenario.scenario)}>
      <h3>
        <span class="live-sign" aria-hidden="true">
          {STATE_SIGNS[state]}
        </span>{" "}
        {STATE_WORDS[state]} · {seen(scenario.scenario)}
        {scenario.session === undefined ? "" : ` · session ${seen(scenario.session)}`}
      </h3>
      <p class="soft">
        <span role="status">
          {lit} of {plural(of, "marker")}
        </span>
        {elapsed === undefined ? "" : ` · ${showDuration(elapsed + (isGoing ? since : 0))}`}
        {scenario.error === undefined ? "" : ` · ${seen(scenario.error)}`}
      </p>
      <ol class="lights" aria-label="Markers">
        {scenario.markers.map((marker, at) => (
          <Light key={marker.name} marker={marker} number={at + 1} waitedMs={(scenario.waited_ms ?? 0) + since} />
        ))}
      </ol>
      {scenario.rules.length === 0 ? null : (
        <ul class="plain-list live-rules" aria-label="Rules">
          {scenario.rules.map((rule) => (
            <RuleLine key={rule.name} rule={rule} />
          ))}
        </ul>
      )}
    </section>
  );
}

const LIGHT_SIGNS = { found: "●", waiting: "◐", open: "○", skipped: "–", missed: "✗" } as const;

function Light({
  marker,
  number,
  waitedMs,
}: {
  readonly marker: LiveMarker;
  readonly number: number;
  readonly waitedMs: number;
}) {
  return (
    <li class={`light light-${marker.light}`} data-light={marker.light}>
      <span class="marker-number">{number}</span>
      <span class="light-sign" aria-hidden="true">
        {LIGHT_SIGNS[marker.light]}
      </span>
      <span class="marker-name">{seen(marker.name)}</span>
      <span class="marker-time">{lightWords(marker, waitedMs)}</span>
      {marker.nearest === undefined ? null : <span class="soft light-nearest">nearest: {seen(marker.nearest)}</span>}
    </li>
  );
}

function lightWords({ light, after_ms: after, within_ms: within, progress }: LiveMarker, waitedMs: number): string {
  const more = progress === undefined ? "" : `, ${progress}`;
  switch (light) {
    case "found":
      return after === undefined || after === 0 ? "reached" : `+${showDuration(after)}`;
    case "waiting":
      return `waiting ${showDuration(waitedMs)}${within === undefined ? "" : ` of ${showDuration(within)}`}${more}`;
    case "missed":
      return `not reached${more}`;
    case "skipped":
      return "optional, not seen";
    case "open":
      return "to come";
  }
}

const RULE_SIGNS = { kept: "–", broken: "✗", open: "◐" } as const;

function RuleLine({ rule }: { readonly rule: LiveRule }) {
  return (
    <li class={`live-rule rule-${rule.state}`}>
      <span aria-hidden="true">{RULE_SIGNS[rule.state]}</span> {seen(rule.verb)}: {seen(rule.name)}, {seen(rule.words)}
    </li>
  );
}

const MOST_SETTLED = 8;

function Settled() {
  const { runs } = usePage().data;
  if (runs.length === 0) return null;
  const latest = runs.slice(-MOST_SETTLED).reverse();
  return (
    <section aria-labelledby="settled-title">
      <h2 id="settled-title">Settled</h2>
      <ul class="plain-list settled" id="settled">
        {latest.map((run) => (
          <li key={run.id} data-settled={run.id}>
            <Verdict of={run.verdict} /> <a href={linkTo("run", run.id)}>{seen(run.label)}</a>
            <span class="soft"> {seen(run.reason)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Milliseconds since a moment of this page's clock, a few times a second. */
function useSince(at: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, now - at);
}
