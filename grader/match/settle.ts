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
}

/**
 * Settles a session (LANGUAGE.md section 7). When the capture is complete, open obligations become violations of the
 * rules' ledgers, so a session can be settled as cut first and as complete afterwards, not the other way round.
 */
export function settleSession(session: Session, ending: Ending): TraceOutcome {
  const { scenario } = session.program;
  const isCut = ending.end.kind === "cut" && scenario.onCut === "inconclusive";
  const why = ending.end.kind === "cut" ? cutText(session, ending.end.why) : "";
  const rules = session.machines.map((machine, position) =>
    settleRule(session, machine, { isCut, why, doubt: session.doubts.get(position) }),
  );
  const markers = settleMarkers(session, isCut, why);
  const decided = decide(session, markers, rules);
  const outcomes = markerOutcomes(session, markers.verdict);
  const required = outcomes.filter(({ optional }) => !optional);
  const isDone = (status: string): boolean => status === "found" || status === "skipped";
  const { progress, found } = session.matcher;
  const limitsHit = [
    ...new Set([
      ...session.matcher.limitsHit,
      ...ending.limitsHit,
      ...session.machines.flatMap(({ ledger }) => [...ledger.limitsHit]),
    ]),
  ];
  const names = session.program.markers.markers.map(({ name }) => name);
  const done = outcomes.filter(({ status }) => status === "found");
  const reached = done.at(-1)?.name;
  const waitingFor = found === undefined ? names[progress.position] : undefined;
  const passedRules = rules.filter(({ outcome }) => outcome.verdict === "pass").map(({ outcome }) => outcome.name);
  return {
    ...(ending.session === undefined ? {} : { session: ending.session }),
    ...decided,
    matchedInOrder: found !== undefined,
    coverage: required.length === 0 ? 1 : required.filter(({ status }) => isDone(status)).length / required.length,
    found: done.map(({ name }) => name),
    notFound: required.filter(({ status }) => !isDone(status)).map(({ name }) => name),
    matchIndices: (found ?? progress.uses).map(({ event }) => event.place.record),
    ...(reached === undefined ? {} : { reached }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    seen: session.program.markers.markers.filter((plan) => session.seen.has(plan)).map(({ name }) => name),
    score: scoreOf(session, passedRules),
    markers: outcomes,
    rules: rules.map(({ outcome }) => outcome),
    stream: {
      events: session.events,
      stepsBack: session.stepsBack,
      ...ending.stream,
      end: ending.end,
      limitsHit,
    },
    ...(session.startedAt === undefined ? {} : { startedAtMs: session.startedAt }),
    durationMs: session.startedAt === undefined ? 0 : session.clock - session.startedAt,
  };
}

interface MarkersVerdict {
  readonly verdict: Settled;
  readonly reason: string;
}

function settleMarkers(session: Session, isCut: boolean, cut: string): MarkersVerdict {
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
  return isCut ? open(cut) : { verdict: "fail", reason: missing };
}

interface SettledRule {
  readonly outcome: RuleOutcome;
  readonly reason: string;
}

function settleRule(
  session: Session,
  machine: RuleMachine,
  { isCut, why, doubt }: { isCut: boolean; why: string; doubt: string | undefined },
): SettledRule {
  const { ledger } = machine;
  const { node } = ledger.plan;
  const running = withTrigger(machine.running, ledger);
  const open = openBecause(ledger, { isCut, why, doubt });
  const isFinal = running === "fail" || (running === "pass" && ledger.unsure === undefined);
  const verdict: Settled =
    !isFinal && open !== undefined ? "inconclusive" : running.startsWith("pass") ? "pass" : "fail";
  if (!isCut && verdict === "fail") machine.settle(session.last);
  const outcome: RuleOutcome = {
    name: node.name,
    verdict,
    running,
    exercised: ledger.exercised,
    severity: node.severity,
    violations: [...ledger.violations],
    violationCount: ledger.violationCount,
  };
  return { outcome, reason: ruleReason(outcome, open) };
}

/** `require_trigger`: a rule that never had its trigger fails unless it still comes. */
function withTrigger(running: Running, { plan, exercised }: Ledger): Running {
  return plan.node.requireTrigger && exercised === 0 && running !== "fail" ? "fail_so_far" : running;
}

function openBecause(
  ledger: Ledger,
  { isCut, why, doubt }: { isCut: boolean; why: string; doubt: string | undefined },
): string | undefined {
  if (ledger.limitsHit.size > 0) return `limit reached: ${[...ledger.limitsHit].join(", ")}`;
  return doubt ?? (isCut ? why : undefined) ?? ledger.unsure;
}

function ruleReason({ name, verdict, violations, violationCount, exercised }: RuleOutcome, open?: string): string {
  if (verdict === "inconclusive") return `rule ${quote(name)} not decided: ${open ?? "the evidence is not whole"}`;
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
  rules: readonly SettledRule[],
): { verdict: Settled; reason: string } {
  const { scenario } = session.program;
  if (session.events === 0) return { verdict: "inconclusive", reason: "no telemetry event" };
  const items = [markers, ...rules.filter(({ outcome }) => outcome.severity === "error").map(verdictOf)];
  const failed = items.filter(({ verdict }) => verdict === "fail");
  const isEnough = failed.length === 1 && failed[0] === markers && reachesScore(session, rules);
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
function reachesScore(session: Session, rules: readonly SettledRule[]): boolean {
  const { passAt } = session.program.scenario;
  const passed = rules.filter(({ outcome }) => outcome.verdict === "pass").map(({ outcome }) => outcome.name);
  return passAt !== undefined && scoreOf(session, passed) >= passAt;
}

function join(items: readonly MarkersVerdict[]): string {
  return items.map(({ reason }) => reason).join("; ");
}

function cutText({ lastPlace: last }: Session, why: string): string {
  const where = last === undefined ? "the capture is cut" : `the capture is cut after line ${last.line}`;
  return why === "" ? where : `${where} (${why})`;
}
