import { useState } from "preact/hooks";
import type { PageRun, RunVerdict } from "../../data.ts";
import { useKeys, usePage } from "../context.ts";
import { linkTo, replaceRoute } from "../route.ts";
import { Scroll } from "../scroll.tsx";
import { Verdict } from "../verdict.tsx";
import { cost, plural, seen, showDuration } from "../words.ts";

const AT_ONCE = 60;
const VERDICTS: readonly (RunVerdict | "not-passed")[] = [
  "not-passed",
  "pass",
  "fail",
  "inconclusive",
  "error",
  "interrupted",
];

/** The runs, narrowed by what the address says, so that a filtered list can be linked to. */
export function RunList() {
  const { data, route } = usePage();
  const [count, setCount] = useState(AT_ONCE);
  const wanted = Object.fromEntries(
    ["verdict", "variant", "task", "batch", "q"].map((key) => [key, route.query.get(key) ?? ""]),
  );
  const found = data.runs.filter((run) => isWanted(run, wanted));
  useKeys((key) => (key === "j" || key === "k" ? focusNext(key === "j" ? 1 : -1) : false));
  const set = (key: string, value: string): void => replaceRoute(linkTo("overview", "", { ...wanted, [key]: value }));
  return (
    <section aria-labelledby="runs-title">
      <div class="list-head">
        <h2 id="runs-title">Runs</h2>
        <Choice
          name="verdict"
          values={VERDICTS.filter((verdict) => verdict === "not-passed" || data.counts[verdict] > 0)}
          wanted={wanted}
          set={set}
        />
        <Choice name="variant" values={namesIn(data.runs, "variant")} wanted={wanted} set={set} />
        <Choice name="task" values={namesIn(data.runs, "task")} wanted={wanted} set={set} />
        <Choice name="batch" values={namesIn(data.runs, "batch")} wanted={wanted} set={set} />
        <input
          type="search"
          aria-label="Find runs by any word"
          placeholder="find"
          value={wanted["q"] ?? ""}
          onInput={(event) => set("q", event.currentTarget.value)}
        />
        <span class="soft" role="status">
          {found.length === data.runs.length
            ? plural(found.length, "run")
            : `${found.length} of ${plural(data.runs.length, "run")}`}
        </span>
      </div>
      <Scroll name="Table of runs">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">run</th>
              <th scope="col">grade</th>
              <th scope="col">reached</th>
              <th scope="col" class="figure">
                time
              </th>
              <th scope="col" class="figure">
                cost
              </th>
              <th scope="col">agent said</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, count).map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {found.length > count ? (
        <button type="button" class="quiet" onClick={() => setCount(count + 200)}>
          Show {Math.min(200, found.length - count)} more
        </button>
      ) : null}
    </section>
  );
}

function RunRow({ run }: { readonly run: PageRun }) {
  const found = run.results.reduce((sum, result) => sum + result.found, 0);
  const total = run.results.reduce((sum, result) => sum + result.total, 0);
  const stopped = run.results.find(({ waiting_for }) => waiting_for !== undefined);
  return (
    <tr data-verdict={run.verdict}>
      <td>
        <a class="run-link" href={linkTo("run", run.id)}>
          {seen(run.label)}
        </a>{" "}
        <span class="soft">
          {[run.variant, run.task].flatMap((part) => (part === undefined ? [] : [seen(part)])).join(", ")}
        </span>
      </td>
      <td>
        <Verdict of={run.verdict} />
      </td>
      <td>
        {total === 0 ? "–" : `${found} of ${total}`}
        {stopped?.waiting_for === undefined ? null : <span class="soft"> no {seen(stopped.waiting_for)}</span>}
      </td>
      <td class="figure">{run.duration_ms === undefined ? "–" : showDuration(run.duration_ms)}</td>
      <td class="figure">{cost(run.cost_usd)}</td>
      <td>
        {run.claim === undefined ? <span class="soft">nothing</span> : seen(run.claim)}
        {run.agrees === false ? (
          <strong class="warn-ink">
            {" "}
            ▲ <span class="unseen">disagrees with the grade</span>
          </strong>
        ) : null}
      </td>
    </tr>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly values: readonly string[];
  readonly wanted: Readonly<Record<string, string>>;
  readonly set: (key: string, value: string) => void;
}

function Choice({ name, values, wanted, set }: ChoiceProps) {
  if (values.length < 2) return null;
  return (
    <select
      aria-label={`Only this ${name}`}
      value={wanted[name] ?? ""}
      onChange={(event) => set(name, event.currentTarget.value)}
    >
      <option value="">any {name}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {value === "not-passed" ? "not passed" : seen(value)}
        </option>
      ))}
    </select>
  );
}

function namesIn(runs: readonly PageRun[], key: "variant" | "task" | "batch"): readonly string[] {
  return [...new Set(runs.flatMap((run) => run[key] ?? []))];
}

function isWanted(run: PageRun, wanted: Readonly<Record<string, string>>): boolean {
  const { verdict, q } = wanted;
  if (verdict === "not-passed" ? run.verdict === "pass" : verdict !== "" && run.verdict !== verdict) return false;
  for (const key of ["variant", "task", "batch"] as const) {
    if (wanted[key] !== "" && run[key] !== wanted[key]) return false;
  }
  const text = [run.label, run.id, run.variant, run.task, run.reason, run.claim, run.said].join("\n").toLowerCase();
  return (q ?? "")
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Moves from one run's link to the next, as j and k do. */
function focusNext(step: 1 | -1): boolean {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a.run-link")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  const next = links[at === -1 ? (step === 1 ? 0 : links.length - 1) : at + step];
  next?.focus();
  return next !== undefined;
}
