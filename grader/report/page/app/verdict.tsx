import type { RunVerdict } from "../data.ts";
import { SIGNS, VERDICT_WORDS } from "./words.ts";

interface VerdictProps {
  readonly of: RunVerdict | "undecided";
  /** The sign alone, its word for those who cannot see it. */
  readonly short?: boolean;
}

/** A sign and a word in a colour, never the colour alone. */
export function Verdict({ of, short = false }: VerdictProps) {
  return (
    <span class={`verdict v-${of}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[of]}
      </span>
      <span class={short ? "unseen" : undefined}>{VERDICT_WORDS[of]}</span>
    </span>
  );
}
