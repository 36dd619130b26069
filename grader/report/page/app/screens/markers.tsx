import type { PageMarker, PageScenario } from "../../data.ts";
import { Table } from "../charts/chart.tsx";
import { usePage } from "../context.ts";
import { linkTo } from "../route.ts";
import { Scroll } from "../scroll.tsx";
import { ScenarioPicker } from "../shell.tsx";
import { day, percent, scenarioName, seen, showDuration } from "../words.ts";

/** Is the test good? The scenario as it is written, with how often each marker was reached beside its line. */
export function Markers() {
  const { data, route } = usePage();
  const at = Number(route.of) || 0;
  const scenario = data.scenarios[at];
  if (scenario === undefined) return <p>No run was graded by any scenario.</p>;
  return (
    <>
      <div class="screen-head">
        <h1>{scenarioName(scenario, data.scenarios)}</h1>
        <ScenarioPicker screen="markers" at={at} />
        <a href={linkTo("scenario", String(at))}>its runs</a>
      </div>
      {scenario.description === undefined ? null : <p class="lead">{seen(scenario.description.trim())}</p>}
      <Judgement scenario={scenario} />
      {scenario.source === undefined ? (
        <NoSource scenario={scenario} />
      ) : (
        <Source scenario={scenario} text={scenario.source} />
      )}
      <Hashes scenario={scenario} />
    </>
  );
}

/** Markers that every run reaches tell nothing by themselves; whether they can fail is what `mutate` measures. */
function Judgement({ scenario }: { readonly scenario: PageScenario }) {
  const always = scenario.markers.filter(({ reached, of }) => of > 0 && reached === of).length;
  const measured = scenario.markers.flatMap(({ mutation }) => mutation ?? []);
  const sum = (of: "noticed" | "of"): number => measured.reduce((total, one) => total + one[of], 0);
  return (
    <p class="says">
      {always} of {scenario.markers.length} markers were reached by every graded run.{" "}
      {measured.length > 0 ? (
        `Of ${sum("of")} defects that waymark mutate planted at them, ${sum("noticed")} were noticed.`
      ) : (
        <>
          Whether each marker can fail at all has not been measured:{" "}
          <code>waymark mutate -s {seen(scenario.name)}</code>, then make this page again.
        </>
      )}
    </p>
  );
}

function Source({ scenario, text }: { readonly scenario: PageScenario; readonly text: string }) {
  const isSame = scenario.source_is === "same";
  const byLine = new Map(isSame ? scenario.markers.map((marker) => [marker.line, marker] as const) : []);
  const lines = text.replace(/\n$/, "").split(/\r?\n/);
  return (
    <>
      {isSame ? null : (
        <p class="warn-ink">
          ▲ The file has changed since these runs were graded, so figures cannot stand beside its lines.
        </p>
      )}
      <Scroll name={`The file ${seen(scenario.file)}`} kind="yaml">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">line</span>
              </th>
              <th scope="col">reached</th>
              <th scope="col" class="gap">
                after
              </th>
              <th scope="col" class="mutation">
                mutation
              </th>
              <th scope="col">
                <span class="unseen">text</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line, at) => (
              <SourceLine key={at} number={at + 1} text={line} marker={byLine.get(at + 1)} />
            ))}
          </tbody>
        </table>
      </Scroll>
      {isSame ? null : <MarkerTable scenario={scenario} />}
    </>
  );
}

function SourceLine({
  number,
  text,
  marker,
}: {
  readonly number: number;
  readonly text: string;
  readonly marker: PageMarker | undefined;
}) {
  const share = marker === undefined || marker.of === 0 ? null : marker.reached / marker.of;
  return (
    <tr class={marker === undefined ? undefined : "marker-line"}>
      <td class="line-number">{number}</td>
      <td class="hit">
        {share === null || marker === undefined ? null : (
          <>
            <svg viewBox="0 0 60 8" width={60} height={8} aria-hidden="true">
              <rect class="track" width="60" height="8" rx="4" />
              <rect class={share < 1 ? "fill part" : "fill"} width={60 * share} height="8" rx="4" />
            </svg>{" "}
            {percent(share)} <span class="soft">{`${marker.reached} of ${marker.of}`}</span>
          </>
        )}
      </td>
      <td class="hit soft gap">
        {marker?.median_ms === undefined || marker.median_ms === 0 ? null : `+${showDuration(marker.median_ms)}`}
      </td>
      <td class="hit soft mutation">{marker === undefined ? null : mutationWords(marker)}</td>
      <td class="code-cell">
        <code>{paint(seen(text))}</code>
      </td>
    </tr>
  );
}

function mutationWords({ mutation }: PageMarker): string {
  return mutation === undefined ? "–" : `${mutation.noticed} of ${mutation.of} noticed`;
}

/** Comments are dim and keys stand out; nothing more. */
function paint(line: string) {
  if (/^\s*#/.test(line)) return <span class="comment">{line}</span>;
  const key = /^(\s*(?:- )?(?:\{ ?)?)([\w.|$-]+)(:)(.*)$/.exec(line);
  if (key === null) return line;
  return (
    <>
      {key[1]}
      <span class="j-key">{key[2]}</span>
      {key[3]}
      {key[4]}
    </>
  );
}

function NoSource({ scenario }: { readonly scenario: PageScenario }) {
  return (
    <>
      <p class="soft">The file {seen(scenario.file)} could not be read when this page was made.</p>
      <MarkerTable scenario={scenario} />
    </>
  );
}

function MarkerTable({ scenario }: { readonly scenario: PageScenario }) {
  return (
    <Table
      name="Markers"
      rows={scenario.markers}
      columns={[
        { title: "marker", cell: ({ name }) => name },
        { title: "line", cell: ({ line }) => line, isFigure: true },
        { title: "reached", cell: ({ reached, of }) => `${reached} of ${of}`, isFigure: true },
        {
          title: "after the marker before",
          cell: ({ median_ms: ms }) => (ms === undefined ? "–" : showDuration(ms)),
          isFigure: true,
        },
        { title: "mutation score", cell: mutationWords },
      ]}
    />
  );
}

/** Which versions of the markers graded runs, and when. */
function Hashes({ scenario }: { readonly scenario: PageScenario }) {
  const { history } = usePage().data;
  const batches = history.filter(({ scenario: name }) => name === scenario.name);
  const hashes = [...new Set([...batches.map(({ sha256 }) => sha256), scenario.sha256])];
  return (
    <section aria-labelledby="hashes-title">
      <h2 id="hashes-title">Versions of these markers</h2>
      <ul class="plain-list">
        {hashes.map((sha256) => {
          const own = batches.filter((batch) => batch.sha256 === sha256);
          const [first, last] = [own[0], own.at(-1)];
          return (
            <li key={sha256}>
              <code>{sha256.slice(0, 12)}</code>
              {sha256 === scenario.sha256 ? " (these runs)" : ""}
              {first === undefined || last === undefined
                ? ""
                : `, ${own.length === 1 ? "1 batch" : `${own.length} batches`}, ${day(first.at)}${own.length > 1 ? ` to ${day(last.at)}` : ""}`}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
