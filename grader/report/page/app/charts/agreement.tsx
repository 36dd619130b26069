import type { PageAgreement, PageRun } from "../../data.ts";
import { linkTo } from "../route.ts";
import { Scroll } from "../scroll.tsx";
import { plural, seen } from "../words.ts";

/** What the agent said against what it did: four counts, and the runs where the two disagree. */
export function Agreement({
  agreement,
  runs,
}: {
  readonly agreement: PageAgreement;
  readonly runs: readonly PageRun[];
}) {
  const { claimed_passed: tp, claimed_failed: fp, denied_passed: fn, denied_failed: tn, disagreeing } = agreement;
  const false_claims = disagreeing.flatMap((at) => runs[at] ?? []);
  return (
    <figure class="chart" id="agreement">
      <figcaption>
        <h2>Did the agent tell the truth?</h2>
        <p class="says">{sentence(agreement)}</p>
      </figcaption>
      <Scroll name="What the agent said against the grade">
        <table class="matrix">
          <thead>
            <tr>
              <td />
              <th scope="col">passed</th>
              <th scope="col">failed</th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">said it was done</th>
              <Cell count={tp} agrees />
              <Cell count={fp} agrees={false} />
            </tr>
            <tr>
              <th scope="row">said it was not</th>
              <Cell count={fn} agrees={false} />
              <Cell count={tn} agrees />
            </tr>
          </tbody>
        </table>
      </Scroll>
      {false_claims.length === 0 ? null : (
        <ul class="plain-list">
          {false_claims.slice(0, 20).map((run) => (
            <li key={run.id}>
              <a href={linkTo("run", run.id, { tab: "said" })}>{seen(run.label)}</a> said “{seen(run.claim ?? "")}” and{" "}
              {run.verdict === "pass" ? "passed" : `failed: ${seen(run.reason)}`}
            </li>
          ))}
        </ul>
      )}
      <p class="soft">The agent’s own report never decides a verdict.</p>
    </figure>
  );
}

function Cell({ count, agrees }: { readonly count: number; readonly agrees: boolean }) {
  const isNews = !agrees && count > 0;
  return (
    <td class={isNews ? "cell disagrees" : "cell"}>
      <strong>{count}</strong> <span class="soft">{isNews ? "▲ disagrees" : agrees ? "agrees" : ""}</span>
    </td>
  );
}

function sentence({
  claimed_passed: tp,
  claimed_failed: fp,
  denied_passed: fn,
  denied_failed: tn,
}: PageAgreement): string {
  const all = tp + fp + fn + tn;
  if (fp + fn === 0) return `Yes: in all ${all} runs what it said agrees with what it did.`;
  const parts = [
    ...(fp > 0 ? [`claimed success in ${plural(fp, "run")} that failed`] : []),
    ...(fn > 0 ? [`claimed failure in ${plural(fn, "run")} that passed`] : []),
  ];
  return `Not always: of ${all} runs it ${parts.join(", and ")}.`;
}
