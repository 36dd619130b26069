import type { PageClause, PageResult, PageRun, PageScenario } from "../../data.ts";
import type { LogLine } from "../../log-lines.ts";
import type { Loaded } from "../context.ts";
import { Scroll } from "../scroll.tsx";
import { seen, showDuration } from "../words.ts";
import { JsonView } from "./json-view.tsx";

interface DetailProps {
  readonly run: PageRun;
  readonly scenario: PageScenario;
  readonly result: PageResult;
  readonly marker: number;
  readonly lines: Loaded<readonly LogLine[]>;
}

/** What one marker asked for, and the event that satisfied it or came nearest, field test by field test. */
export function Detail({ run, scenario, result, marker, lines }: DetailProps) {
  const definition = scenario.markers[marker];
  const [status, , after, file, line] = result.marks[marker] ?? ["m", null, null, null, null];
  if (definition === undefined) return null;
  const miss = result.misses.find((one) => one.marker === marker);
  const place =
    file === null || line === null
      ? miss === undefined
        ? undefined
        : { file: miss.file, line: miss.line }
      : { file, line };
  const isNearest = status !== "f" && miss !== undefined;
  return (
    <section class="detail" aria-labelledby="detail-title" id="detail">
      <h2 id="detail-title">
        {marker + 1} {seen(definition.name)}
      </h2>
      <p class="says">{sayMarker(status, after)}</p>
      <div class="detail-parts">
        <div>
          {isNearest ? (
            <>
              <h3>What came instead</h3>
              <Clauses failed={miss.failed} passed={miss.passed} />
            </>
          ) : null}
          {status !== "f" && miss === undefined && status !== "s" ? <p class="soft">No event came near it.</p> : null}
          <Asked scenario={scenario} marker={marker} />
        </div>
        <div>
          {place === undefined ? null : <EventAt run={run} place={place} lines={lines} isNearest={isNearest} />}
        </div>
      </div>
    </section>
  );
}

function sayMarker(status: string, after: number | null): string {
  if (status === "f")
    return after === null || after === 0 ? "Reached." : `Reached ${showDuration(after)} after the marker before it.`;
  if (status === "s") return "Optional, and not seen.";
  return status === "u" ? "Not decided: the evidence ends before it could be." : "Not reached.";
}

/** Field tests of an event: those that failed first. */
export function Clauses({
  failed,
  passed,
}: {
  readonly failed: readonly PageClause[];
  readonly passed: readonly PageClause[];
}) {
  const rows = [...failed.map((clause) => ({ clause, ok: false })), ...passed.map((clause) => ({ clause, ok: true }))];
  return (
    <Scroll name="Field tests">
      <table class="clauses" id="clauses">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">wanted</th>
            <th scope="col">came</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ clause: { path, want, got, hint }, ok }, at) => (
            <tr key={at} class={ok ? "ok" : "not-ok"}>
              <th scope="row">
                <span class={ok ? "pass-ink" : "fail-ink"}>{ok ? "✓" : "✗"}</span>{" "}
                <span class="unseen">{ok ? "as wanted" : "not as wanted"}</span>
                <code>{seen(path)}</code>
              </th>
              <td>
                <code>{seen(want)}</code>
              </td>
              <td>
                {got === undefined ? <em>absent</em> : <code>{seen(got)}</code>}
                {hint === undefined ? null : <span class="soft"> {seen(hint)}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface EventAtProps {
  readonly run: PageRun;
  readonly place: { readonly file: number; readonly line: number };
  readonly lines: Loaded<readonly LogLine[]>;
  readonly isNearest: boolean;
}

function EventAt({ run, place, lines, isNearest }: EventAtProps) {
  const found =
    lines.kind === "ready"
      ? lines.value.find(({ file, line }) => file === place.file && line === place.line)
      : undefined;
  const where = `${seen(run.files[place.file] ?? "")}:${place.line}`;
  return (
    <>
      <h3>
        {isNearest ? "The nearest event" : "Its event"} <span class="soft">{where}</span>
      </h3>
      {found === undefined ? (
        <p class="soft">
          {lines.kind === "waiting"
            ? "Unpacking the log …"
            : seen(run.events_why ?? (lines.kind === "failed" ? lines.why : "This event is not in the page."))}
        </p>
      ) : (
        <JsonView text={found.text} name={`Event at ${where}`} />
      )}
    </>
  );
}

/** The lines of the scenario file that ask for a marker, as far as the page has them. */
function Asked({ scenario, marker }: { readonly scenario: PageScenario; readonly marker: number }) {
  const { source, markers, source_is: state, file } = scenario;
  const line = markers[marker]?.line;
  if (source === undefined || line === undefined || state !== "same") return null;
  const lines = source.split("\n");
  const next = markers.map((one) => one.line).filter((one) => one > line);
  const end = Math.min(...next, lines.length + 1, line + 14);
  return (
    <>
      <h3>
        What was asked <span class="soft">{`${seen(file.split(/[\\/]/).at(-1) ?? file)}:${line}`}</span>
      </h3>
      <Scroll name="The marker in the scenario file" kind="json">
        <pre>
          {lines
            .slice(line - 1, end - 1)
            .map(seen)
            .join("\n")
            .trimEnd()}
        </pre>
      </Scroll>
    </>
  );
}
