import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchFolder, logFile } from "./generate.ts";
import { scenarioYaml } from "./markers.ts";
import { median, pairedRatio, shown, table } from "./numbers.ts";
import { nodeProgram, runToEnd, WAYMARK } from "./processes.ts";

/** What grading one sparse log costs with that many ordered markers, or scenarios of five markers and one more. */
export interface ScaleRow {
  readonly what: "markers" | "scenarios";
  readonly count: number;
  /** Size of the log. */
  readonly bytes: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** Its speed as a share of the speed with one, by processor time where that is known: median over the rounds. */
  readonly ofOne: number;
}

const COUNTS = { markers: [1, 5, 50, 500], scenarios: [1, 10, 100] } as const;

/** Grades the log with each number of markers and of scenarios, in turn. The last marker of each never comes. */
export async function benchScale(options: {
  readonly bytes: number;
  readonly rounds: number;
  readonly seed: number;
}): Promise<ScaleRow[]> {
  const log = await logFile({ kind: "sparse", bytes: options.bytes, seed: options.seed });
  const rows: ScaleRow[] = [];
  for (const what of ["markers", "scenarios"] as const) {
    const runs = COUNTS[what].map((count) => ({ count, walls: [] as number[], cpus: [] as number[] }));
    for (let round = 0; round < options.rounds; round++) {
      for (const { count, walls, cpus } of runs) {
        const run = await runToEnd(nodeProgram(WAYMARK, [...argumentsFor(what, count), log]));
        if (run.code !== 1) throw new Error(`grading with ${count} ${what} ended with ${run.code}:\n${run.stderr}`);
        walls.push(run.wallMs);
        cpus.push(run.cpuMs ?? run.wallMs);
      }
    }
    const one = runs[0]?.cpus ?? [];
    for (const { count, walls, cpus } of runs) {
      rows.push({
        what,
        count,
        bytes: options.bytes,
        wallMs: median(walls),
        cpuMs: median(cpus),
        ofOne: pairedRatio(one, cpus),
      });
    }
  }
  return rows;
}

/** The figures as a table. */
export function scaleTable(rows: readonly ScaleRow[]): string {
  const cells = rows.map(({ what, count, wallMs, cpuMs, ofOne }) => [
    `${count} ${what}`,
    shown(wallMs, 0),
    shown(cpuMs, 0),
    shown(ofOne, 2),
  ]);
  return table(["sparse log", "ms", "cpu ms", "of the speed with one"], cells);
}

function argumentsFor(what: ScaleRow["what"], count: number): string[] {
  const folder = join(benchFolder(), `markers-${what}-${count}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  if (what === "markers") writeFileSync(join(folder, "many.yaml"), manyMarkers(count));
  for (let index = 0; what === "scenarios" && index < count; index++) {
    const last = `  - name: own ${index}\n    event: never_${index}\n`;
    writeFileSync(join(folder, `scenario_${index}.yaml`), scenarioYaml(`scenario_${index}`) + last);
  }
  return ["grade", "--markers", folder, "--no-store", "--json"];
}

function manyMarkers(count: number): string {
  const markers = Array.from(
    { length: count },
    (_, index) =>
      `  - name: marker ${index}\n    event: never_${index}\n    where:\n      data.Action.Gesture: click\n`,
  );
  return `waymark: 1\nscenario: many\nmarkers:\n${markers.join("")}`;
}
