import type { ComponentChildren } from "preact";
import type { PageRun } from "../../data.ts";
import { useLoaded, usePage } from "../context.ts";
import { Scroll } from "../scroll.tsx";
import { cost, seen, seenLines, showCount, showDuration } from "../words.ts";

export interface Tab {
  readonly id: string;
  readonly words: string;
  readonly content: () => ComponentChildren;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
}

/** Tabs as the ARIA pattern has them: arrows go from tab to tab. */
export function Tabs({ tabs, chosen, onChoose }: TabsProps) {
  const at = Math.max(
    0,
    tabs.findIndex(({ id }) => id === chosen),
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
    const next = step === undefined ? undefined : tabs[(at + step) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <section class="tabs" aria-label="More of this run">
      <div role="tablist" aria-label="More of this run" data-own-keys="" onKeyDown={onKeyDown}>
        {tabs.map(({ id, words }, position) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={position === at}
            aria-controls="tab-panel"
            tabIndex={position === at ? 0 : -1}
            onClick={() => onChoose(id)}
          >
            {words}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tabs[at]?.id}`}>
        {tabs[at]?.content()}
      </div>
    </section>
  );
}

/** What the agent said, beside what the grade says. */
export function SaidTab({ run }: { readonly run: PageRun }) {
  if (run.claim === undefined) return <p id="said">The agent said nothing of this run.</p>;
  return (
    <div id="said">
      <p>
        The agent said <strong>“{seen(run.claim)}”</strong>
        {run.agrees === undefined
          ? ", which claims neither success nor failure, or there is no grade to hold it against."
          : run.agrees
            ? ", and the grade agrees."
            : ". "}
        {run.agrees === false ? (
          <strong class="warn-ink">
            ▲ The grade disagrees: the run {run.verdict === "pass" ? "passed" : "failed"}.
          </strong>
        ) : null}
      </p>
      {run.said === undefined ? null : <blockquote>{seenLines(run.said)}</blockquote>}
      {run.review === undefined ? null : <p>A person who looked at the run says: {seen(run.review)}</p>}
      <p class="soft">What an agent says of itself never decides a verdict.</p>
    </div>
  );
}

export function EnvironmentTab({ run }: { readonly run: PageRun }) {
  return (
    <dl class="facts">
      {[
        ["run", run.id] as const,
        ...(run.batch === undefined ? [] : [["batch", run.batch] as const]),
        ...run.environment,
        ...(run.folder === undefined ? [] : [["folder", run.folder] as const]),
      ].map(([name, value]) => (
        <div key={name}>
          <dt>{seen(name)}</dt>
          <dd>{seen(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ProcessTab({ run }: { readonly run: PageRun }) {
  const { source } = usePage();
  const output = useLoaded(() => source.outputOf(run), [run.id]);
  if (output.kind !== "ready") return <p class="soft">{output.kind === "failed" ? seen(output.why) : "Unpacking …"}</p>;
  const { stdout, stderr } = output.value;
  if (stdout === undefined && stderr === undefined)
    return <p class="soft">Nothing was written to stdout or stderr, or it was not kept.</p>;
  return (
    <>
      {[["stdout", stdout] as const, ["stderr", stderr] as const].map(([name, text]) =>
        text === undefined ? null : (
          <div key={name}>
            <h3>{name}</h3>
            <Scroll name={name} kind="json">
              <pre>{seenLines(text)}</pre>
            </Scroll>
          </div>
        ),
      )}
    </>
  );
}

export function StepsTab({ run }: { readonly run: PageRun }) {
  return (
    <Scroll name="Steps">
      <table>
        <thead>
          <tr>
            <th scope="col">step</th>
            <th scope="col">from</th>
            <th scope="col" class="figure">
              time
            </th>
            <th scope="col" class="figure">
              cost
            </th>
            <th scope="col" class="figure">
              tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {run.steps.slice(0, 500).map((step, at) => (
            <tr key={at}>
              <td>{seen(step.name)}</td>
              <td class="soft">{seen(step.kind)}</td>
              <td class="figure">{step.duration_ms === undefined ? "–" : showDuration(step.duration_ms)}</td>
              <td class="figure">{cost(step.cost_usd)}</td>
              <td class="figure">{step.tokens === undefined ? "–" : showCount(step.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
