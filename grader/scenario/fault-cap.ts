import { type Fault, fault } from "../../proxy/record/fault.ts";

/** Nobody reads more at once. */
const MOST_SHOWN = 50;

/** The first 50 faults of a file, errors before the others when there are more, and then how many are left out. */
export function firstFaults(faults: readonly Fault[], file: string): readonly Fault[] {
  if (faults.length <= MOST_SHOWN + 1) return faults;
  const errors = faults.filter(({ severity }) => severity === "error");
  const others = faults.filter(({ severity }) => severity !== "error");
  const kept = new Set([...errors, ...others].slice(0, MOST_SHOWN));
  const shown = faults.filter((one) => kept.has(one));
  const message = `${faults.length - shown.length} more faults of this file are not shown`;
  const fix = "Mend those shown first; often one mistake is behind many.";
  const place = { file, line: 1, column: 1 };
  return [...shown, fault("WM_SCENARIO_LINT", message, { place, severity: "hint", fix })];
}
