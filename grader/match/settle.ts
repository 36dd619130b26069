import { explainMarkers, quote } from "./explain.ts";
import type { Ledger, Running } from "./ledger.ts";
import type { RuleMachine } from "./machine.ts";
import { markerOutcomes, scoreOf } from "./marker-outcome.ts";
import type { CaptureEnd } from "./outcome.ts";
import type { Session } from "./session.ts";
import type { RuleOutcome, StreamOutcome, TraceOutcome } from "./trace.ts";

type Settled = "pass" | "fail" | "inconclusive";

/** What is known about the stream besides the session itself. */
export interface Ending {
  readonly end: CaptureEnd;
  readonly stream: Pick<StreamOutcome, "late" | "duplicates" | "withoutSession" | "gaps"> & Partial<StreamOutcome>;
  readonly session?: string;
  readonly limitsHit: readonly string[];
  /** Only a look at a session that goes on: nothing is settled, and nothing of it changes. */
  readonly isStanding?: boolean;
}

const GOES_ON = "the capture goes on";

/**
 * Settles a session (LANGUAGE.md section 7). When the capture is complete, open obligations become violations of the
 * rules' ledgers, so a session can be settled as cut first and as complete afterwards, not the other way round.
 */
export function settleSession(session: Session, ending: Ending): TraceOutcome {
  const cut = ending.isStanding === true ? GOES_ON : cutReason(session, ending.end);
  const rules = session.machines.map((machine, position) =>
    settleRule(session, machine, { cut, doubt: session.doubts.get(position) }),
  );
  const markers = settleMarkers(session, cut);
  const passed = rules.filter(({ outcome }) => outcome.verdict === "pass").map(({ outcome }) => outcome.name);
  const { startedAt } = session;
  return {
    ...(ending.session === undefined ? {} : { session: ending.session }),
    ...decide(session, markers, { rules, passed }),
    ...markerFacts(session, markers.verdict),
    score: scoreOf(session, passed),
    rules: rules.map(({ outcome }) => outcome),
    stream: streamOf(session, ending),
    ...(startedAt === undefined ? {} : { startedAtMs: startedAt }),
    durationMs: startedAt === undefined ? 0 : session.clock - startedAt,
  };
}

type MarkerFacts = Pick<
  TraceOutcome,
  "matchedInOrder" | "coverage" | "found" | "notFound" | "matchIndices" | "reached" | "waitingFor" | "seen" | "markers"
>;

function markerFacts(session: Session, verdict: Settled): MarkerFacts {
  const { matcher, seen, program } = session;
  const plans = program.markers.markers;
  const markers = markerOutcomes(session, verdict);
  const required = markers.filter(({ optional }) => !optional);
  const missing = required.filter(({ status }) => status === "missing" || status === "undecided");
  const found = markers.filter(({ status }) => status === "found").map(({ name }) => name);
  const reached = found.at(-1);
  const waitingFor = matcher.found === undefined ? plans[matcher.progress.position]?.name : undefined;
  return {
    matchedInOrder: matcher.found !== undefined,
    coverage: required.length === 0 ? 1 : (required.length - missing.length) / required.length,
    found,
    notFound: missing.map(({ name }) => name),
    matchIndices: session.uses.map(({ event }) => event.place.record),
    ...(reached === undefined ? {} : { reached }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    seen: plans.filter((plan) => seen.has(plan)).map(({ name }) => name),
    markers,
  };
}

function streamOf(session: Session, { end, stream, limitsHit }: Ending): StreamOutcome {
  const ofRules = session.machines.flatMap(({ ledger }) => [...ledger.limitsHit]);
  return {
    events: session.events,
    stepsBack: session.stepsBack,
    ...stream,
    end,
    limitsHit: [...new Set([...session.matcher.limitsHit, ...ofRules, ...limitsHit])],
  };
}

/** What to say of items that a cut capture leaves open; undefined when the capture counts as complete. */
function cutReason({ program, lastPlace: last }: Session, end: CaptureEnd): string | undefined {
  if (end.kind === "complete" || program.scenario.onCut === "complete") return undefined;
  const where = last === undefined ? "the capture is cut" : `the capture is cut after line ${last.line}`;
  return end.why === "" ? where : `${where} (${end.why})`;
}

interface MarkersVerdict {
  readonly verdict: Settled;
  readonly reason: string;
}

function settleMarkers(session: Session, cut: string | undefined): MarkersVerdict {
  const { matcher, doubts } = session;
  const count = session.program.markers.markers.length;
  if (matcher.found !== undefined) {
    const what = count === 1 ? "the marker was found" : `all ${count} markers found in order`;
    return { verdict: "pass", reason: count === 0 ? "" : what };
  }
  const missing = explainMarkers(session);
  const open = (why: string): MarkersVerdict => ({
    verdict: "inconclusive",
    reason: `${missing}; not decided: ${why}`,
  });
  const doubt = doubts.get("markers");
  if (matcher.foundUnsure) return open("a time limit could not be checked, because an event has no time");
  if (matcher.limitsHit.length > 0) return open(`limit reached: ${matcher.limitsHit.join(", ")}`);
  if (doubt !== undefined) return open(doubt);
  return cut === undefined ? { verdict: "fail", reason: missing } : open(cut);
}

interface SettledRule {
  readonly outcome: RuleOutcome;
  readonly reason: string;
}

function settleRule(
  session: Session,
  machine: RuleMachine,
  { cut, doubt }: { cut: string | undefined; doubt: string | undefined },
): SettledRule {
  const { ledger } = machine;
  const { node } = ledger.plan;
  const running = withTrigger(machine.running, ledger);
  const open = openBecause(running, ledger, doubt ?? cut);
  const verdict: Settled = open !== undefined ? "inconclusive" : running.startsWith("pass") ? "pass" : "fail";
  if (cut === undefined && verdict === "fail") machine.settle(session.last);
  const outcome: RuleOutcome = {
    name: node.name,
    verdict,
    running,
    exercised: ledger.exercised,
    severity: node.severity,
    violations: [...ledger.violations],
    violationCount: ledger.violationCount,
    ...(open === undefined ? {} : { reason: open }),
  };
  return { outcome, reason: ruleReason(outcome) };
}

/** `require_trigger`: a rule that never had its trigger fails unless it still comes. */
function withTrigger(running: Running, { plan, exercised }: Ledger): Running {
  return plan.node.requireTrigger && exercised === 0 && running !== "fail" ? "fail_so_far" : running;
}

/** Why the rule is undecided; undefined when it is not. */
function openBecause(running: Running, ledger: Ledger, other: string | undefined): string | undefined {
  if (running === "fail") return undefined;
  if (running !== "pass") {
    if (ledger.limitsHit.size > 0) return `limit reached: ${[...ledger.limitsHit].join(", ")}`;
    if (other !== undefined) return other;
  }
  return ledger.isDoubtful(running) ? ledger.unsure : undefined;
}

function ruleReason({ name, verdict, violations, violationCount, exercised, reason = "" }: RuleOutcome): string {
  if (verdict === "inconclusive") return `rule ${quote(name)} not decided: ${reason}`;
  if (verdict === "pass") return "";
  const [first] = violations;
  if (first === undefined) {
    return `rule ${quote(name)}: ${exercised === 0 ? "its trigger was never seen" : "it does not hold"}`;
  }
  const more = violationCount > 1 ? ` (${violationCount} violations)` : "";
  return `rule ${quote(name)}: ${first.reason}${more}`;
}

function decide(
  session: Session,
  markers: MarkersVerdict,
  { rules, passed }: { rules: readonly SettledRule[]; passed: readonly string[] },
): { verdict: Settled; reason: string } {
  const { scenario } = session.program;
  if (session.events === 0) return { verdict: "inconclusive", reason: "no telemetry event" };
  const items = [markers, ...rules.filter(({ outcome }) => outcome.severity === "error").map(verdictOf)];
  const failed = items.filter(({ verdict }) => verdict === "fail");
  const isEnough = failed.length === 1 && failed[0] === markers && reachesScore(session, passed);
  if (failed.length > 0 && !isEnough) return { verdict: "fail", reason: join(failed) };
  const open = items.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length > 0) return { verdict: "inconclusive", reason: join(open) };
  if (scenario.provisional) {
    return { verdict: "inconclusive", reason: "passed, but the scenario is provisional: learned from too little" };
  }
  const kept = rules.length === 0 ? "" : rules.length === 1 ? "the rule holds" : `all ${rules.length} rules hold`;
  return { verdict: "pass", reason: [markers.reason, kept].filter((text) => text !== "").join("; ") };
}

function verdictOf({ outcome, reason }: SettledRule): MarkersVerdict {
  return { verdict: outcome.verdict, reason };
}

/** `pass_at`: the score decides instead of the last marker. */
function reachesScore(session: Session, passed: readonly string[]): boolean {
  const { passAt } = session.program.scenario;
  return passAt !== undefined && scoreOf(session, passed) >= passAt;
}

function join(items: readonly MarkersVerdict[]): string {
  return items.map(({ reason }) => reason).join("; ");
}
