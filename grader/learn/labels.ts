import type { Step } from "./steps.ts";

const LONGEST = 40;

/** The value that tells a step from the others of its name, short enough to be part of a name; undefined when none does. */
export function hintOf(step: Step, steps: readonly Step[]): string | undefined {
  const others = steps.filter((other) => other !== step && other.name === step.name);
  if (step.look !== undefined && others.some((other) => other.look?.id !== step.look?.id)) return step.look.label;
  const texts = step.facts.flatMap(({ path, kind, value }) => {
    const text = kind === "is" || kind === "param" ? String(value) : Array.isArray(value) ? value.join(" ") : "";
    const isShared = others.some((other) => other.facts.some((fact) => fact.path === path && same(fact.value, value)));
    return text === "" || text.length > LONGEST || /[\p{Cc}]/u.test(text) ? [] : [{ text, isShared }];
  });
  return (texts.find(({ isShared }) => !isShared) ?? texts[0])?.text;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (Array.isArray(a) && Array.isArray(b) && a.join("\n") === b.join("\n"));
}

/** A step by its name, with what tells it from others of that name where there are any. */
export function labelOf(step: Step | undefined, steps: readonly Step[]): string {
  if (step === undefined) return "";
  const isAlone = steps.every((other) => other === step || other.name !== step.name);
  const hint = isAlone ? undefined : hintOf(step, steps);
  return hint === undefined ? step.name : `${step.name} (${hint})`;
}
