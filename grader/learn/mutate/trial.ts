import type { Base } from "./base.ts";
import { type Grade, gradeAs, gradeEvents } from "./grading.ts";
import { type Meaning, meaningOf } from "./meaning.ts";
import type { Mutant, Target } from "./mutant.ts";
import { leavesIn } from "./subject.ts";
import { withoutMarker } from "./weaken.ts";

/**
 * What became of a planted defect. `caught`: graded as a failure, and it is one. `missed`: it is one, and was not graded
 * so. `equivalent`: the scenario's words still hold, so there was nothing to catch. `undecided`: neither grading nor the
 * words decide. `false_alarm`: graded as a failure although the words hold.
 */
export type DefectOutcome = "caught" | "missed" | "equivalent" | "undecided" | "false_alarm";

/** What became of a control. `void`: by the scenario's words it does change the meaning, so it says nothing here. */
export type ControlOutcome = "quiet" | "false_alarm" | "void" | "undecided";

export interface Tried<Outcome> {
  readonly mutant: Mutant;
  readonly run: string;
  readonly outcome: Outcome;
  readonly verdict: Grade["verdict"];
  readonly reason: string;
  readonly meaning: Meaning;
  /** It failed because of the very marker or rule it was aimed at; asked until one defect did. */
  readonly byTarget?: boolean;
}

/**
 * Grades a defect, and asks the scenario's words whether it is one. `isProven`: that its target can fail is known, so
 * the run is not graded once more to find out.
 */
export async function tryDefect(base: Base, mutant: Mutant, isProven: boolean): Promise<Tried<DefectOutcome>> {
  const { events } = mutant;
  const grade = await gradeEvents(base.subject, events);
  const meaning = meaningOf(base.subject, events);
  const outcome = defectOutcome(grade.verdict, meaning);
  if (isProven) return { ...tried(base, mutant, grade), outcome, meaning };
  const byTarget = await isByTarget(base, mutant, { grade, outcome });
  return { ...tried(base, mutant, grade), outcome, meaning, byTarget };
}

function defectOutcome(verdict: Grade["verdict"], meaning: Meaning): DefectOutcome {
  if (verdict === "fail") return meaning === "holds" ? "false_alarm" : "caught";
  if (verdict !== "pass") return meaning === "holds" ? "equivalent" : "undecided";
  return meaning === "holds" ? "equivalent" : meaning === "violated" ? "missed" : "undecided";
}

/** Grades a control, which must not change the verdict. */
export async function tryControl(base: Base, mutant: Mutant): Promise<Tried<ControlOutcome>> {
  const { events } = mutant;
  const grade = await gradeEvents(base.subject, events);
  const meaning = meaningOf(base.subject, events);
  return { ...tried(base, mutant, grade), outcome: controlOutcome(grade.verdict, meaning), meaning };
}

function controlOutcome(verdict: Grade["verdict"], meaning: Meaning): ControlOutcome {
  if (verdict === "pass") return meaning === "violated" ? "undecided" : "quiet";
  if (meaning === "violated") return "void";
  return verdict === "fail" ? "false_alarm" : "undecided";
}

function tried(base: Base, mutant: Mutant, { verdict, results }: Grade) {
  const reason = results.find((result) => result.verdict === verdict)?.reason ?? "";
  return { mutant, run: base.name, verdict, reason };
}

async function isByTarget(
  base: Base,
  { target, events }: Mutant,
  { grade, outcome }: { grade: Grade; outcome: DefectOutcome },
): Promise<boolean> {
  if (target?.kind === "rule") return failsRule(grade, target);
  if (outcome !== "caught" || target === undefined) return false;
  const { scenario } = base.subject;
  const captures = leavesIn(scenario.markers).find(({ name }) => name === target.name)?.capture ?? [];
  // what a marker captures is missed by those behind it, so leaving it out would fail for another reason
  if (captures.length > 0) return grade.results.some(({ waiting_for }) => isAt(base, target, waiting_for));
  const weaker = await gradeAs(withoutMarker(scenario, target.name), base.subject, events);
  return weaker.verdict !== "fail";
}

function failsRule({ results }: Grade, { name }: Target): boolean {
  return results.some(({ rules }) => rules.some((rule) => rule.name === name && rule.verdict === "fail"));
}

/** The list stopped at the marker itself or at the block it stands in. */
function isAt({ subject }: Base, { name }: Target, waitingFor: string | undefined): boolean {
  const root = subject.scenario.markers.find((node) => node.name === waitingFor);
  return root !== undefined && (root.name === name || leavesIn([root]).some((leaf) => leaf.name === name));
}
