import { useEffect, useRef, useState } from "preact/hooks";
import type { PageRun } from "../../data.ts";
import type { LogLine } from "../../log-lines.ts";
import type { Loaded } from "../context.ts";
import { Scroll } from "../scroll.tsx";
import { clock, plural, seen } from "../words.ts";
import { JsonView } from "./json-view.tsx";

const ROW = 28;
const VIEW = 392;

interface EventsProps {
  readonly run: PageRun;
  readonly lines: Loaded<readonly LogLine[]>;
  /** Number of the marker that an event satisfied, by `FILE:LINE`. */
  readonly markers: ReadonlyMap<string, number>;
  readonly at: number;
  readonly onSeek: (ms: number) => void;
}

/** Every event of the run in a list that draws only what is in sight; one that is chosen shows its JSON. */
export function EventsTab({ run, lines, markers, at, onSeek }: EventsProps) {
  const [words, setWords] = useState("");
  const [open, setOpen] = useState<LogLine>();
  if (lines.kind === "waiting") return <p class="soft">Unpacking the log …</p>;
  if (lines.kind === "failed") return <p class="soft">{seen(lines.why)}</p>;
  const wanted = words.toLowerCase();
  const shown = wanted === "" ? lines.value : lines.value.filter(({ text }) => text.toLowerCase().includes(wanted));
  return (
    <>
      <div class="list-head">
        <input
          type="search"
          aria-label="Find events by any text"
          placeholder="find in events"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <span class="soft" role="status">
          {shown.length === lines.value.length
            ? plural(shown.length, "event")
            : `${shown.length} of ${plural(lines.value.length, "event")}`}
        </span>
      </div>
      {run.events_why === undefined ? null : <p class="soft">{seen(run.events_why)}</p>}
      <EventRows
        lines={shown}
        markers={markers}
        at={at}
        open={open}
        onOpen={(line) => {
          setOpen(line);
          if (line.at !== undefined) onSeek(line.at);
        }}
      />
      {open === undefined ? null : <JsonView text={open.text} name={`Event at line ${open.line}`} />}
    </>
  );
}

interface RowsProps extends Pick<EventsProps, "markers" | "at"> {
  readonly lines: readonly LogLine[];
  readonly open: LogLine | undefined;
  readonly onOpen: (line: LogLine) => void;
}

function EventRows({ lines, markers, at, open, onOpen }: RowsProps) {
  const ref = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const current = lastAt(lines, at);
  const span = lines.at(-1)?.at ?? 0;
  useEffect(() => {
    const place = current * ROW;
    const box = ref.current;
    if (box !== null && at > 0 && (place < box.scrollTop || place > box.scrollTop + VIEW - ROW))
      box.scrollTop = place - VIEW / 3;
  }, [current]);
  const first = Math.max(0, Math.floor(top / ROW) - 6);
  const visible = lines.slice(first, first + Math.ceil(VIEW / ROW) + 12);
  return (
    <Scroll name="Events" kind="event-list" box={ref} onScroll={setTop}>
      <div class="event-room" style={{ height: `${lines.length * ROW}px` }}>
        {visible.map((line, offset) => {
          const marker = markers.get(`${line.file}:${line.line}`);
          return (
            <button
              key={`${line.file}:${line.line}`}
              type="button"
              class={first + offset === current ? "event current" : "event"}
              style={{ top: `${(first + offset) * ROW}px` }}
              aria-pressed={line === open}
              onClick={() => onOpen(line)}
            >
              <span class="event-time">{line.at === undefined ? "–" : clock(line.at, span)}</span>
              <span class="event-line">{line.line}</span>
              <span class="event-marker">{marker === undefined ? "" : `● ${marker + 1}`}</span>
              <span class="event-name">{seen(line.name)}</span>
              <span class="event-text">{seen(ownPart(line.text))}</span>
            </button>
          );
        })}
      </div>
    </Scroll>
  );
}

/** Position of the last event that is not later; -1 before the first. */
function lastAt(lines: readonly LogLine[], at: number): number {
  let found = -1;
  for (const [position, line] of lines.entries()) if (line.at !== undefined && line.at <= at) found = position;
  return found;
}

/** What tells events of one name apart: the properties that the app gave them. */
function ownPart(text: string): string {
  const at = text.indexOf('"data":');
  return text.slice(at === -1 ? 0 : at + 7, at + 307);
}
