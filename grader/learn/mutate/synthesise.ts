import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import type { Bindings } from "../../operators/where.ts";
import type { FieldPath, MarkerNode, RuleNode, Where } from "../../scenario/ast.ts";
import { setAt } from "./edit.ts";
import { type Grade, gradeEvents } from "./grading.ts";
import { triggerOf } from "./reference-rules.ts";
import { satisfy } from "./satisfy.ts";
import { nodesOf, type Subject } from "./subject.ts";
import { timePath } from "./times.ts";

const START_MS = Date.UTC(2026, 0, 1);
const LONGEST_STEP_MS = 1000;
/** Events put in for the rules' sake before giving up. */
const MOST_REPAIRS = 12;

export interface MadeRun {
  readonly name: string;
  readonly events: readonly JsonObject[];
  readonly grade: Grade;
}

/**
 * Runs that pass, made from the scenario alone: an event for every marker (one run per alternative of `one_of`), and
 * what the rules ask for beside them. Only runs that grading passes are handed on; none when no such run was found.
 */
export async function synthesiseRuns(subject: Subject): Promise<readonly MadeRun[]> {
  const alternatives = nodesOf(subject.scenario.markers).map((node) =>
    node.kind === "one_of" ? node.lists.length : 1,
  );
  const made: MadeRun[] = [];
  for (let variant = 0; variant < Math.max(1, ...alternatives); variant++) {
    const run = await repaired(subject, new Drafter(subject, variant).draft());
    if (run !== undefined) made.push({ name: `made-up run ${variant + 1}`, ...run });
  }
  return made;
}

/** Writes the events one after the other, with what they capture. */
class Drafter {
  readonly #subject: Subject;
  readonly #variant: number;
  readonly #events: JsonObject[] = [];
  #bindings = new Map<string, JsonValue>();

  constructor(subject: Subject, variant: number) {
    this.#subject = subject;
    this.#variant = variant;
  }

  draft(): readonly JsonObject[] {
    for (const node of this.#subject.scenario.markers) this.#node(node);
    if (this.#events.length === 0) this.#events.push(namedEvent(this.#subject, "waymark_began"));
    return this.#events;
  }

  #node(node: MarkerNode): void {
    for (let round = 0; round < node.repeat; round++) {
      const from = this.#events.length;
      if (node.kind === "marker") this.#leaf(node.where, node.capture);
      else for (const list of this.#listsOf(node)) for (const item of list) this.#node(item);
      this.#tell(node, { from, round });
    }
  }

  #listsOf(node: Extract<MarkerNode, { lists: unknown }>): readonly (readonly MarkerNode[])[] {
    if (node.kind !== "one_of") return node.lists;
    const chosen = node.lists[this.#variant % node.lists.length];
    return chosen === undefined ? [] : [chosen];
  }

  #leaf(where: Where, captures: readonly { readonly name: string; readonly path: FieldPath }[]): void {
    let event = satisfy(this.#subject, where, this.#bindings, namedEvent(this.#subject, "event"));
    for (const { name, path } of event === undefined ? [] : captures) {
      if (event !== undefined && this.#subject.read(path).get(event) === undefined) {
        event = setAt(event, path, `${name}-1`) ?? event;
      }
      const value = event === undefined ? undefined : this.#subject.read(path).get(event);
      if (value !== undefined) this.#bindings.set(name, value);
    }
    if (event !== undefined) this.#events.push(event);
  }

  /** Makes the rounds of a repetition differ, or alike, where they have to. */
  #tell({ distinct, same, repeat }: MarkerNode, { from, round }: { from: number; round: number }): void {
    for (let index = from; index < this.#events.length; index++) {
      let event = this.#events[index] ?? {};
      for (const path of same ?? []) {
        if (this.#subject.read(path).get(event) === undefined) event = setAt(event, path, "one") ?? event;
      }
      for (const path of distinct ?? []) {
        if (repeat > 1 || this.#subject.read(path).get(event) === undefined)
          event = setAt(event, path, `value-${round + 1}`) ?? event;
      }
      this.#events[index] = event;
    }
  }
}

function namedEvent({ scenario }: Subject, name: string): JsonObject {
  return setAt({}, scenario.events.name, name) ?? {};
}

/** Puts in what failing rules ask for, one event at a time, as long as fewer of them fail. */
async function repaired(
  subject: Subject,
  draft: readonly JsonObject[],
): Promise<Pick<MadeRun, "events" | "grade"> | undefined> {
  let events = draft;
  let best = await gradeDraft(subject, events);
  for (let repair = 0; repair < MOST_REPAIRS && best.grade.verdict !== "pass"; repair++) {
    const next = await firstBetter(subject, events, best);
    if (next === undefined) return undefined;
    events = next.draft;
    best = next;
  }
  return best.grade.verdict === "pass" ? { events: best.events, grade: best.grade } : undefined;
}

interface Graded {
  readonly events: readonly JsonObject[];
  readonly grade: Grade;
  readonly open: number;
}

async function gradeDraft(subject: Subject, draft: readonly JsonObject[]): Promise<Graded> {
  const events = timed(subject, draft);
  const grade = await gradeEvents(subject, events);
  const open = grade.results.reduce((sum, result) => {
    const broken = result.rules.filter(({ verdict }) => verdict !== "pass");
    return (
      sum +
      broken.reduce((all, { violation_count }) => all + 1 + violation_count, 0) +
      (result.matched_in_order ? 0 : 100)
    );
  }, 0);
  return { events, grade, open };
}

async function firstBetter(
  subject: Subject,
  draft: readonly JsonObject[],
  best: Graded,
): Promise<(Graded & { readonly draft: readonly JsonObject[] }) | undefined> {
  const failing = new Set(
    best.grade.results
      .flatMap(({ rules }) => rules.filter(({ verdict }) => verdict !== "pass"))
      .map(({ name }) => name),
  );
  for (const rule of subject.scenario.rules.filter(({ name }) => failing.has(name))) {
    for (const candidate of remedies(subject, rule, draft)) {
      const graded = await gradeDraft(subject, candidate);
      if (graded.open < best.open) return { ...graded, draft: candidate };
    }
  }
  return undefined;
}

/** The run with an event that the rule may wait for, in each place; or with the events it is about mended. */
function* remedies(subject: Subject, rule: RuleNode, draft: readonly JsonObject[]): Generator<readonly JsonObject[]> {
  if (rule.verb === "each") {
    yield draft.map((event) =>
      subject.could(rule.target, event) ? (satisfy(subject, rule.must, new Map(), event) ?? event) : event,
    );
  }
  const wanted: readonly (Where | undefined)[] = rule.verb === "span" ? [rule.end] : [rule.target, triggerOf(rule)];
  for (const bindings of bindingsFor(subject, rule, draft)) {
    for (const where of wanted) {
      const made = where === undefined ? undefined : satisfy(subject, where, bindings, namedEvent(subject, "event"));
      if (made === undefined) continue;
      const several = rule.verb === "count" && where === rule.target ? countOf(rule, made) : [made];
      for (let place = draft.length; place >= 0; place--) {
        yield [...draft.slice(0, place), ...several, ...draft.slice(place)];
      }
    }
  }
}

/** As many as a count asks for, with different values where it counts those. */
function countOf(
  { min = 1, distinct }: Extract<RuleNode, { readonly verb: "count" }>,
  made: JsonObject,
): readonly JsonObject[] {
  return Array.from({ length: min }, (_, number) => (distinct === undefined ? made : vary(made, distinct, number)));
}

function vary(event: JsonObject, paths: readonly FieldPath[], number: number): JsonObject {
  return paths.reduce((made, path) => setAt(made, path, `value-${number}`) ?? made, event);
}

function bindingsFor({ read }: Subject, { capture }: RuleNode, draft: readonly JsonObject[]): readonly Bindings[] {
  if (capture.length === 0) return [new Map()];
  return draft.flatMap((event) => {
    const values = capture.map(({ name, path }) => [name, read(path).get(event)] as const);
    return values.some(([, value]) => value === undefined)
      ? []
      : [new Map(values.map(([name, value]) => [name, value ?? null]))];
  });
}

/** Gives the events times that keep every limit, a session and ids of their own where the scenario reads them. */
function timed({ scenario }: Subject, draft: readonly JsonObject[]): readonly JsonObject[] {
  const { events: profile, markers, rules, timespanMs } = scenario;
  const limits = [
    ...nodesOf(markers).flatMap((node) => [node.withinMs, node.timespanMs]),
    ...rules.flatMap((rule) => [rule.withinMs, rule.verb === "span" ? rule.maxMs : undefined]),
    timespanMs,
  ].filter((limit) => limit !== undefined);
  const stepMs = Math.floor(Math.min(LONGEST_STEP_MS, ...limits.map((limit) => limit / (2 * (draft.length + 1)))));
  return draft.map((event, index) => {
    const time = new Date(START_MS + index * stepMs).toISOString();
    let made = setAt(event, timePath(profile), time) ?? event;
    for (const path of profile.session ?? []) made = setAt(made, path, "session-1") ?? made;
    return profile.id === undefined ? made : (setAt(made, profile.id, `id-${index + 1}`) ?? made);
  });
}
