import type { SeriesStanding } from "../live-series.ts";
import { asText, plural, showDuration } from "../report/text.ts";
import { fitLine, type Line, line, lineWidth, styled } from "./line.ts";
import { type Section, type SectionRow, sectionOf } from "./section.ts";

/** Everything the screen shows. */
export interface WatchView {
  /** The log as the user named it. */
  readonly log: string;
  readonly series: readonly SeriesStanding[];
  readonly nowMs: number;
  readonly explain: boolean;
  /** Why nothing is shown yet, in words. */
  readonly waitingFor?: string;
  /** What the last key did. */
  readonly notice?: string;
  /** What keys there are: `q quit`. Empty where none can be pressed. */
  readonly keys: readonly string[];
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** More sessions than fit on any screen are not drawn. */
const MOST_SECTIONS = 50;

/** The lines of the screen, at most as many as it has rows and none wider than it has columns. Pure. */
export function screenLines(view: WatchView, { columns, rows }: ScreenSize): readonly Line[] {
  const footer = footerOf(view, columns);
  const { sections, hidden } = sectionsOf(view);
  const head = headOf(view, hidden);
  const room = Math.max(1, rows - footer.length);
  const body = fitRows(sections, room - head.length);
  return [...head, ...body, ...footer].slice(0, Math.max(1, rows)).map((one) => fitLine(one, columns));
}

function headOf({ series, waitingFor, log }: WatchView, hidden: number): readonly Line[] {
  if (series.length === 0) return [line(styled("unsure", "◌"), ` ${waitingFor ?? `reading ${asText(log)}`}`)];
  return hidden === 0 ? [] : [line(styled("dim", `${plural(hidden, "session")} more, not shown`))];
}

function sectionsOf(view: WatchView): { readonly sections: readonly Section[]; readonly hidden: number } {
  const { series, nowMs, explain } = view;
  const options = { nowMs, explain, namesLog: series.length > 1 };
  const all = series.flatMap((one) =>
    one.scenarios.flatMap((standing) => {
      if (standing.error !== undefined) return [() => brokenSection(standing.scenario.id, standing.error ?? "")];
      return standing.sessions.map((outcome) => () => sectionOf(outcome, { standing, series: one }, options));
    }),
  );
  const shown = all.slice(-MOST_SECTIONS);
  return { sections: shown.map((make) => make()), hidden: all.length - shown.length };
}

function brokenSection(id: string, error: string): Section {
  return {
    header: line(styled("strong", asText(id)), "   ", styled("bad", "! error"), `   ${asText(error)}`),
    rows: [],
  };
}

/** All lines when they fit; else what is done and what is far off goes into one line each, then whatever is last. */
function fitRows(sections: readonly Section[], room: number): readonly Line[] {
  const whole = linesOf(sections);
  if (whole.length <= room) return whole;
  const short = linesOf(sections.map(({ header, rows }) => ({ header, rows: shortened(rows) })));
  if (short.length <= room) return short;
  const bare = linesOf(
    sections.map(({ header, rows }) => ({ header, rows: rows.filter(({ kind }) => kind === "waiting") })),
  );
  const fewest = bare.length <= room ? bare : sections.map(({ header }) => header);
  if (fewest.length <= room) return fewest;
  const left = fewest.length - Math.max(0, room - 1);
  return [...fewest.slice(0, Math.max(0, room - 1)), line(styled("dim", `… ${plural(left, "line")} more`))];
}

function linesOf(sections: readonly Section[]): readonly Line[] {
  return sections.flatMap(({ header, rows }) => [header, ...rows.map(({ line: one }) => one)]);
}

function shortened(rows: readonly SectionRow[]): readonly SectionRow[] {
  const found = rows.filter(({ kind }) => kind === "found");
  const open = rows.filter(({ kind }) => kind === "open");
  const summary = (kind: SectionRow["kind"], text: string): SectionRow => ({ kind, line: line(styled("dim", text)) });
  return [
    ...(found.length > 1 ? [summary("found", `   … ${plural(found.length - 1, "marker")} found`)] : []),
    ...found.slice(-1),
    ...rows.filter(({ kind }) => kind === "waiting" || kind === "detail"),
    ...(open.length > 0 ? [summary("open", `   … ${plural(open.length, "marker")} to come`)] : []),
    ...rows.filter(({ kind }) => kind === "rule"),
  ];
}

function footerOf({ series, nowMs, keys, notice }: WatchView, columns: number): readonly Line[] {
  const keysText = keysIn(keys, columns);
  const last = lastWords(series, nowMs);
  const notices = notice === undefined ? [] : [line(asText(notice))];
  const room = columns - keysText.length - 2;
  const left = line(last);
  if (keysText === "") return [...notices, left];
  if (lineWidth(left) <= room) {
    return [...notices, line(last, " ".repeat(columns - keysText.length - lineWidth(left)), styled("dim", keysText))];
  }
  return [...notices, left, line(styled("dim", keysText))];
}

/** The keys with as many words as there is room for. */
function keysIn(keys: readonly string[], columns: number): string {
  const texts = [4, 2, 1].map((most) => keys.map((key) => key.split(" ").slice(0, most).join(" ")).join("  "));
  return texts.find((text) => text.length <= columns) ?? texts.at(-1) ?? "";
}

function lastWords(series: readonly SeriesStanding[], nowMs: number): string {
  const latest = series.reduce<SeriesStanding["last"]>((best, { last }) => {
    if (last === undefined || (best !== undefined && (best.seenAtMs ?? 0) > (last.seenAtMs ?? 0))) return best;
    return last;
  }, undefined);
  if (latest === undefined) return "last: no event yet";
  const name = latest.name === "" ? "an event without a name" : asText(latest.name);
  if (latest.seenAtMs === undefined) return `last: ${name}, before this began`;
  return `last: ${name} ${showDuration(Math.max(0, nowMs - latest.seenAtMs))} ago`;
}
