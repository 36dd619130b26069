import type { JsonValue } from "../../proxy/record/json.ts";
import type { Place } from "../../proxy/record/place.ts";

/**
 * A scenario file as the loader hands it on: shape checked, `use`/`extends` merged, pattern names expanded, durations in
 * milliseconds, every part with its place. Field tests are still syntax; `grader/operators` gives them their meaning.
 */
export interface Scenario {
  readonly id: string;
  readonly title?: string;
  readonly description?: string;
  readonly place: Place;
  /** SHA-256 (hex) over the bytes of the file and of every file it takes over, in order. */
  readonly sha256: string;
  readonly events: EventProfile;
  readonly params: readonly ParamDefinition[];
  readonly markers: readonly MarkerNode[];
  readonly timespanMs?: number;
  readonly rules: readonly RuleNode[];
  readonly checks: readonly CheckNode[];
  readonly budget?: { readonly cost?: number; readonly durationMs?: number; readonly tokens?: number };
  readonly onCut: "inconclusive" | "complete";
  readonly limits: Limits;
  readonly passAt?: number;
  readonly provisional: boolean;
  readonly examples: readonly ExampleNode[];
}

/** LANGUAGE.md section 6. Paths are compiled by the reader of events. */
export interface EventProfile {
  readonly name: FieldPath;
  readonly order: "line" | "time";
  readonly time?: FieldPath;
  readonly timeUnit?: "ms" | "s" | "us" | "ns";
  readonly latenessMs: number;
  readonly session?: readonly FieldPath[];
  readonly sessions: "all" | "any";
  readonly sessionless: "aside" | "broadcast";
  readonly unreadable: "gap" | "ignore";
  readonly retries: "drop" | "count";
  readonly sessionEnd?: Where;
  readonly idleMs?: number;
  readonly id?: FieldPath;
  readonly dedupeMs: number;
}

/** LANGUAGE.md section 8.4. */
export interface Limits {
  readonly runs: number;
  readonly keys: number;
  readonly pending: number;
  readonly sessions: number;
  readonly latenessEvents: number;
  readonly lineBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  runs: 4096,
  keys: 10_000,
  pending: 10_000,
  sessions: 1000,
  latenessEvents: 100_000,
  lineBytes: 16_777_216,
};

export interface ParamDefinition {
  readonly name: string;
  readonly type?: "string" | "number" | "boolean" | "list";
  readonly default?: JsonValue;
  readonly required: boolean;
  readonly place: Place;
}

/** A dotted path (LANGUAGE.md section 3.1) or an RFC 9535 JSONPath. `text` is the path as written, without modifiers. */
export type FieldPath =
  | { readonly kind: "dotted"; readonly text: string; readonly segments: readonly PathSegment[] }
  | { readonly kind: "jsonpath"; readonly text: string };

export type PathSegment =
  /** `exact` when written in brackets and quotes: this key and no other reading. */
  | { readonly kind: "key"; readonly key: string; readonly exact: boolean }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" };

/** A value in a field test: a literal, a `$variable`, text with `${variables}` in it, or a whole value made of these. */
export type Operand =
  | { readonly kind: "literal"; readonly value: JsonValue }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "template"; readonly parts: readonly (string | { readonly name: string })[] }
  /** Only behind modifiers that take a whole value (`equals`), and only when a variable is inside. */
  | { readonly kind: "list"; readonly items: readonly Operand[] }
  | { readonly kind: "map"; readonly entries: readonly (readonly [string, Operand])[] };

/** What one event must look like. `all` of nothing holds for every event. */
export type Where =
  | { readonly kind: "all"; readonly items: readonly Where[]; readonly place: Place }
  | { readonly kind: "any"; readonly items: readonly Where[]; readonly place: Place }
  | { readonly kind: "not"; readonly item: Where; readonly place: Place }
  | FieldTestNode
  /** A nested map: some value at `path` satisfies all of `where`, whose paths start at that value. */
  | { readonly kind: "nested"; readonly path: FieldPath; readonly where: Where; readonly place: Place };

/** `path|modifier|modifier: value`; a list of operands means any of (or all of, with the modifier `all`). */
export interface FieldTestNode {
  readonly kind: "field";
  /** The key as written, such as `data.url|contains`. */
  readonly key: string;
  readonly path: FieldPath;
  readonly modifiers: readonly string[];
  readonly value: Operand | readonly Operand[];
  /** Place of the key, and of the value. */
  readonly place: Place;
  readonly valuePlace: Place;
}

export interface CaptureBinding {
  readonly name: string;
  readonly path: FieldPath;
  readonly place: Place;
}

export interface MarkerCommon {
  /** Unique in the file; given one when the author gave none: the event, or `marker 3`. */
  readonly name: string;
  readonly place: Place;
  readonly optional: boolean;
  readonly advisory: boolean;
  readonly weight: number;
  /** How often; 1 unless `repeat` says more. */
  readonly repeat: number;
  readonly distinct?: readonly FieldPath[];
  readonly same?: readonly FieldPath[];
  readonly timespanMs?: number;
  readonly withinMs?: number;
  readonly without?: Where;
  readonly immediately: boolean;
}

export interface EventMarker extends MarkerCommon {
  readonly kind: "marker";
  readonly where: Where;
  readonly capture: readonly CaptureBinding[];
}

export interface BlockMarker extends MarkerCommon {
  readonly kind: "any_order" | "one_of" | "sequence";
  /** any_order: chains; one_of: alternatives; sequence: exactly one list. */
  readonly lists: readonly (readonly MarkerNode[])[];
}

export type MarkerNode = EventMarker | BlockMarker;

export interface RuleCommon {
  readonly name: string;
  readonly place: Place;
  readonly severity: "error" | "warn" | "info";
  readonly weight?: number;
  readonly requireTrigger: boolean;
  /** Values remembered from the trigger event; every key of them has its own instance of the rule. */
  readonly capture: readonly CaptureBinding[];
  readonly after?: Where;
  readonly before?: Where;
  readonly between?: readonly [Where, Where];
  readonly until?: Where;
  readonly withinMs?: number;
  readonly without?: Where;
  readonly immediately: boolean;
}

export type RuleNode = RuleCommon &
  (
    | { readonly verb: "never"; readonly target: Where }
    | { readonly verb: "expect"; readonly target: Where }
    | {
        readonly verb: "count";
        readonly target: Where;
        readonly min?: number;
        readonly max?: number;
        readonly distinct?: readonly FieldPath[];
        readonly per?: readonly FieldPath[];
        readonly timespanMs?: number;
      }
    | { readonly verb: "each"; readonly target: Where; readonly must: Where }
    | {
        readonly verb: "span";
        readonly start: Where;
        readonly end: Where;
        readonly maxMs: number;
        readonly mustEnd: boolean;
      }
    | { readonly verb: "if"; readonly condition: Where; readonly then: "expect" | "never"; readonly target: Where }
    | { readonly verb: "first" | "last"; readonly target: Where }
  );

/** A check of the final state (LANGUAGE.md section 5.3): an evaluator's name with its arguments. */
export interface CheckNode {
  readonly evaluator: string;
  readonly args: JsonValue;
  readonly place: Place;
}

export interface ExampleNode {
  readonly capture: string;
  readonly mutate?: string;
  readonly verdict: "pass" | "fail" | "inconclusive";
  readonly place: Place;
}
