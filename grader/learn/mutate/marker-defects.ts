import type { JsonObject } from "../../../proxy/record/json.ts";
import { topTests } from "../../match/pattern.ts";
import type { EventMarker, MarkerNode } from "../../scenario/ast.ts";
import { type Base, delayFrom, describeEvent, evidenceOf, insertAt, unrelated, without } from "./base.ts";
import { setAt } from "./edit.ts";
import type { Mutant, Target } from "./mutant.ts";
import { satisfy, violations } from "./satisfy.ts";
import { leavesIn, nodesOf } from "./subject.ts";
import { later } from "./times.ts";

/**
 * Every defect that can be planted for the ordered markers of a run that passes. The events of each are made when they
 * are asked for: a long run is not held once per defect.
 */
export function markerDefects(base: Base): readonly Mutant[] {
  const nodes = nodesOf(base.subject.scenario.markers);
  return [
    ...nodes.flatMap((node) => (node.kind === "marker" ? ofLeaf(base, node) : [])),
    ...nodes.flatMap((node) => [...delays(base, node), ...spoilers(base, node), ...equalities(base, node)]),
    ...swaps(base),
    ...wholeDelay(base),
  ];
}

function ofLeaf(base: Base, leaf: EventMarker): readonly Mutant[] {
  const target: Target = { kind: "marker", name: leaf.name };
  const own = evidenceOf(base, leaf);
  const { subject, events } = base;
  const all = events.flatMap((event, index) => (subject.could(leaf.where, event) ? [index] : []));
  const isMore = all.length > own.length || own.length > 1;
  const dropped: Mutant[] = own.map((index) => ({
    kind: "drop",
    target,
    what: `drop ${describeEvent(base, index)}`,
    get events() {
      return without(base, [index]);
    },
  }));
  if (isMore && all.length < events.length) {
    dropped.push({
      kind: "drop",
      target,
      what: "drop every event that satisfies it",
      get events() {
        return without(base, all);
      },
    });
  }
  return [
    ...dropped,
    ...own.flatMap((index) => [...copies(base, { target, index }), ...cuts(base, { target, index })]),
    ...facts(base, leaf),
  ];
}

interface Spot {
  readonly target: Target;
  readonly index: number;
}

function copies(base: Base, { target, index }: Spot): readonly Mutant[] {
  const what = `duplicate ${describeEvent(base, index)}`;
  return [
    {
      kind: "duplicate",
      target,
      what,
      get events() {
        return insertAt(base, index + 1, [base.events[index] ?? {}]);
      },
    },
  ];
}

function cuts(base: Base, { target, index }: Spot): readonly Mutant[] {
  if (index === 0) return [];
  const what = `cut the end from ${describeEvent(base, index)} on`;
  return [
    {
      kind: "cut",
      target,
      what,
      get events() {
        return base.events.slice(0, index);
      },
    },
  ];
}

/** Each field test in turn: in one event the marker uses, and in all that could stand in for it. */
function facts(base: Base, leaf: EventMarker): readonly Mutant[] {
  const { subject, events, bindings } = base;
  const target: Target = { kind: "marker", name: leaf.name };
  const own = evidenceOf(base, leaf);
  const tests = topTests(leaf.where).filter((test) => test.kind !== "all");
  const single = tests.flatMap((test) => {
    const path = "path" in test ? test.path.text : test.kind;
    return own.flatMap((index) =>
      violations(subject, test, bindings, events[index] ?? {}).map((changed) => {
        const what = `change ${path} of ${describeEvent(base, index)}`;
        return {
          kind: "fact",
          target,
          what,
          path,
          get events() {
            return events.with(index, changed);
          },
        } as const;
      }),
    );
  });
  const everywhere = tests.flatMap((test) => {
    const path = "path" in test ? test.path.text : test.kind;
    const isAlone = events.every((event, index) => own[0] === index || !subject.could(leaf.where, event));
    if (isAlone) return [];
    const change = (event: JsonObject): JsonObject =>
      subject.could(leaf.where, event) ? (violations(subject, test, bindings, event)[0] ?? event) : event;
    const what = `change ${path} wherever it satisfies`;
    return [
      {
        kind: "fact",
        target,
        what,
        path,
        get events() {
          return events.map(change);
        },
      } as const,
    ];
  });
  const captures = leaf.capture.flatMap(({ path }) =>
    own.flatMap((index) => {
      const changed = setAt(events[index] ?? {}, path, undefined);
      if (changed === undefined) return [];
      const what = `take ${path.text} out of ${describeEvent(base, index)}`;
      return [
        {
          kind: "fact",
          target,
          what,
          path: path.text,
          get events() {
            return events.with(index, changed);
          },
        } as const,
      ];
    }),
  );
  return [...single, ...everywhere, ...captures];
}

/** Repetitions that have to differ are made alike, and those that have to be alike are made to differ. */
function equalities(base: Base, node: MarkerNode): readonly Mutant[] {
  const { subject, events } = base;
  const own = base.evidence.get(node.name) ?? [];
  const [first, second] = own;
  if (first === undefined || second === undefined) return [];
  const target: Target = { kind: "marker", name: node.name };
  const mutant = (path: string, changed: JsonObject | undefined, verb: string): readonly Mutant[] => {
    if (changed === undefined) return [];
    const what = `make ${path} of ${describeEvent(base, second)} ${verb} ${describeEvent(base, first)}`;
    return [
      {
        kind: "fact",
        target,
        what,
        path,
        get events() {
          return events.with(second, changed);
        },
      },
    ];
  };
  const alike = (node.distinct ?? []).flatMap((path) =>
    mutant(path.text, setAt(events[second] ?? {}, path, subject.read(path).get(events[first] ?? {})), "that of"),
  );
  const different = (node.same ?? []).flatMap((path) =>
    mutant(path.text, setAt(events[second] ?? {}, path, "waymark-changed"), "differ from"),
  );
  return [...alike, ...different];
}

/** Just past each limit of a marker: the event and all behind it come so much later. */
function delays(base: Base, node: MarkerNode): readonly Mutant[] {
  return limitsOf(base, node).map(({ position, slackMs, limit }) => ({
    kind: "delay",
    target: { kind: "marker", name: node.name },
    what: `delay ${describeEvent(base, position)} to 1 ms past ${limit}`,
    get events() {
      return delayFrom(base, position, slackMs + 1);
    },
  }));
}

interface LimitAt {
  /** The event that has to come in time. */
  readonly position: number;
  /** How much later it could come. */
  readonly slackMs: number;
  readonly limit: string;
}

/** Where the limits of a marker or block apply in this run, and how much room they leave. */
export function limitsOf(base: Base, node: MarkerNode): readonly LimitAt[] {
  const own = base.evidence.get(node.name) ?? [];
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return [];
  const at = (index: number): number => base.times[index] ?? 0;
  const session = base.used.find((indices) => indices.includes(last)) ?? [];
  const before = session.filter((index) => index < first).at(-1) ?? 0;
  return [
    ...(node.withinMs === undefined
      ? []
      : [{ position: last, slackMs: node.withinMs - (at(last) - at(before)), limit: `within ${node.withinMs} ms` }]),
    ...(node.timespanMs === undefined || first === last
      ? []
      : [
          {
            position: last,
            slackMs: node.timespanMs - (at(last) - at(first)),
            limit: `timespan ${node.timespanMs} ms`,
          },
        ]),
  ].filter(({ slackMs }) => slackMs >= 0);
}

function wholeDelay(base: Base): readonly Mutant[] {
  const { timespanMs } = base.subject.scenario;
  if (timespanMs === undefined) return [];
  return base.used.flatMap((session) => {
    const [first, last] = [session[0], session.at(-1)];
    if (first === undefined || last === undefined || first === last) return [];
    const slackMs = timespanMs - ((base.times[last] ?? 0) - (base.times[first] ?? 0));
    const what = `delay ${describeEvent(base, last)} to 1 ms past the timespan of the whole list`;
    return [
      {
        kind: "delay",
        what,
        get events() {
          return delayFrom(base, last, slackMs + 1);
        },
      } as const,
    ];
  });
}

/** What must not stand before a marker is put there. */
function spoilers(base: Base, node: MarkerNode): readonly Mutant[] {
  const target: Target = { kind: "marker", name: node.name };
  const own = base.evidence.get(node.name) ?? [];
  const [first, last] = [own[0], own.at(-1)];
  if (first === undefined || last === undefined) return [];
  const made: Mutant[] = [];
  if (node.without !== undefined) {
    const known = base.events.find(
      (event) => node.without !== undefined && base.subject.test(node.without, event, base.bindings),
    );
    const spoiler = satisfy(base.subject, node.without, base.bindings, known);
    const what = `put what is not allowed before ${describeEvent(base, last)}`;
    if (spoiler !== undefined)
      made.push({
        kind: "forbid",
        target,
        what,
        get events() {
          return insertAt(base, last, [spoiler]);
        },
      });
  }
  if (node.immediately) {
    const what = `put another event before ${describeEvent(base, first)}`;
    made.push({
      kind: "forbid",
      target,
      what,
      get events() {
        return insertAt(base, first, [unrelated(base, 0)]);
      },
    });
  }
  return made;
}

/** Each two used events that follow one another change places; each takes the other's time. */
function swaps(base: Base): readonly Mutant[] {
  const leaves = leavesIn(base.subject.scenario.markers);
  return base.used.flatMap((session) =>
    session.slice(1).flatMap((second, position) => {
      const first = session[position];
      const owner = leaves.findLast(({ name }) => base.evidence.get(name)?.includes(second));
      if (first === undefined || owner === undefined) return [];
      const what = `swap ${describeEvent(base, first)} and ${describeEvent(base, second)}`;
      return [
        {
          kind: "swap",
          target: { kind: "marker", name: owner.name },
          what,
          get events() {
            return swapped(base, first, second);
          },
        } as const,
      ];
    }),
  );
}

/** Two events in each other's place and time. */
export function swapped(base: Base, first: number, second: number): readonly JsonObject[] {
  const { events, times, subject } = base;
  const [a, b] = [events[first] ?? {}, events[second] ?? {}];
  const [atA, atB] = [times[first], times[second]];
  const profile = subject.scenario.events;
  if (atA === undefined || atB === undefined) return events.with(first, b).with(second, a);
  return events
    .with(first, later(b, atA - atB, { profile, at: atB }))
    .with(second, later(a, atB - atA, { profile, at: atA }));
}
