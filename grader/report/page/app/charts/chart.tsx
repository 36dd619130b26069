import type { ComponentChildren } from "preact";
import { Scroll } from "../scroll.tsx";
import { seen } from "../words.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Figures stand at the right. */
  readonly isFigure?: boolean;
}

interface ChartProps<T> {
  readonly title: string;
  /** What the chart comes to, in a sentence. */
  readonly says?: ComponentChildren;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** A chart with its title, what it comes to, and the same figures as a table. */
export function Chart<T>({ title, says, rows, columns, id, children }: ChartProps<T>) {
  return (
    <figure class="chart" id={id}>
      <figcaption>
        <h2>{title}</h2>
        {says === undefined ? null : <p class="says">{says}</p>}
      </figcaption>
      {children}
      <details class="as-table">
        <summary>Show as table</summary>
        <Table name={title} rows={rows} columns={columns} />
      </details>
    </figure>
  );
}

interface TableProps<T> {
  readonly name: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
}

const MOST_ROWS = 500;

/** A table that scrolls on its own, also by keyboard, when it is wider than its place. */
export function Table<T>({ name, rows, columns }: TableProps<T>) {
  return (
    <Scroll name={name}>
      <table>
        <thead>
          <tr>
            {columns.map(({ title, isFigure }) => (
              <th key={title} scope="col" class={isFigure ? "figure" : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row, at) => (
            <tr key={at}>
              {columns.map(({ title, cell, isFigure }) => (
                <td key={title} class={isFigure ? "figure" : undefined}>
                  {shown(cell(row))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MOST_ROWS ? <p class="soft">{rows.length - MOST_ROWS} more rows are not shown.</p> : null}
    </Scroll>
  );
}

function shown(content: ComponentChildren): ComponentChildren {
  return typeof content === "string" ? seen(content) : content;
}

/** Round steps for an axis from 0 to `max`, at most `most` of them besides 0. */
export function ticksTo(max: number, most: number): readonly number[] {
  if (!(max > 0) || most < 1) return [0];
  const rough = max / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, at) => at * step);
}
