import type { JsonValue } from "../../../proxy/record/json.ts";
import { gradeLogs } from "../../grade.ts";
import type { SeriesStanding } from "../../live-series.ts";
import { type LoadedScenario, loadScenario } from "../../scenario/load.ts";
import { placesIn } from "../../trials/folder.ts";
import { readLiveNotes } from "../../trials/live-notes.ts";
import { standsOf } from "../../trials/live-stand.ts";
import type { Trial } from "../../trials/trial.ts";
import type { LiveRun } from "../../watch/live-run.ts";
import { type LiveName, liveRun } from "../../watch/live-view.ts";
import { standingKey } from "../../watch/standing-key.ts";
import { readOrder } from "../runs/order.ts";
import type { ScenarioShelf } from "../scenarios.ts";
import type { RunFolders } from "./run-folders.ts";
import { isUnderWay } from "./under-way.ts";

export interface FeedDeps {
  readonly folders: RunFolders;
  readonly shelf: ScenarioShelf;
  /** The log that an app beside a proxy writes. */
  readonly defaultLog: string;
  readonly now: () => number;
}

/** Hears what changes while the page is open. */
export interface FeedListener {
  /** Runs under way, all of them, as they stand. */
  onLive(runs: readonly LiveRun[]): void;
  /** Something was graded, began or ended: the page's data is old. */
  onPage(): void;
}

/** Follows runs under way for as long as somebody looks. */
export interface Feed {
  subscribe(listener: FeedListener): () => void;
  /** A result was stored. */
  touch(): void;
}

const LOOK_MS = 300;
const LEAST_MS = 40;

interface Followed {
  readonly name: LiveName;
  readonly standings: Map<string, () => SeriesStanding>;
  readonly stop: AbortController;
}

/** What is followed of a run: its log, and by what it is graded. */
interface Course {
  readonly log: string;
  readonly scenarios: readonly string[];
  readonly files: ReadonlyMap<string, string>;
  readonly params: ReadonlyMap<string, JsonValue>;
  readonly since?: string;
}

/** Opens the feed; it works only while it has listeners. */
export function openFeed(deps: FeedDeps): Feed {
  return new RunFeed(deps);
}

class RunFeed implements Feed {
  readonly #deps: FeedDeps;
  readonly #listeners = new Set<FeedListener>();
  readonly #followed = new Map<string, Followed>();
  #clock: NodeJS.Timeout | undefined;
  #isTelling = false;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  subscribe(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    if (this.#clock === undefined) this.#turn();
    this.#tellLive();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    };
  }

  touch(): void {
    for (const listener of this.#listeners) listener.onPage();
  }

  #turn(): void {
    this.#clock = setTimeout(() => {
      void this.#look().finally(() => {
        if (this.#clock !== undefined) this.#turn();
      });
    }, LOOK_MS);
  }

  #rest(): void {
    clearTimeout(this.#clock);
    this.#clock = undefined;
    for (const id of [...this.#followed.keys()]) this.#leave(id);
  }

  async #look(): Promise<void> {
    const { folders, now } = this.#deps;
    const hasChanged = folders.look();
    const running = folders.trials().filter((trial) => isUnderWay(trial, now()));
    const ids = new Set(running.map(({ manifest }) => manifest.id));
    for (const id of [...this.#followed.keys()]) if (id !== BESIDE && !ids.has(id)) this.#leave(id);
    for (const trial of running) {
      if (!this.#followed.has(trial.manifest.id)) this.#follow(nameOf(trial), courseOf(trial));
    }
    await this.#lookBeside();
    if (!hasChanged) return;
    this.touch();
    this.#tellLive();
  }

  async #lookBeside(): Promise<void> {
    const { defaultLog } = this.#deps;
    const stands = await standsOf(defaultLog).catch(() => []);
    const isLive = stands.some(({ has_stopped: hasStopped }) => !hasStopped);
    if (isLive === this.#followed.has(BESIDE)) return;
    const course = { log: defaultLog, scenarios: [], files: new Map(), params: new Map() };
    if (isLive) this.#follow({ id: BESIDE, label: defaultLog }, course);
    else this.#leave(BESIDE);
    this.#tellLive();
  }

  #follow(name: LiveName, course: Course): void {
    const one: Followed = { name, standings: new Map(), stop: new AbortController() };
    if (this.#listeners.size === 0) return; // the last one left while this was looked for
    this.#followed.set(name.id, one);
    const onRead = (standing: () => SeriesStanding): void => {
      one.standings.set(standingKey(standing()), standing);
      this.#tellLive();
    };
    // What is wrong with it is said by its grade.
    void followCourse(course, { signal: one.stop.signal, onRead }, this.#deps).catch(() => undefined);
  }

  #leave(id: string): void {
    this.#followed.get(id)?.stop.abort();
    this.#followed.delete(id);
  }

  #tellLive(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setTimeout(() => {
      this.#isTelling = false;
      const runs = [...this.#followed.values()].map((one) => this.#standOf(one));
      for (const listener of this.#listeners) listener.onLive(runs);
    }, LEAST_MS);
  }

  #standOf({ name, standings }: Followed): LiveRun {
    const series = [...standings.values()].map((standing) => standing());
    return liveRun(name, series, this.#deps.now());
  }
}

/** The id of what an app beside a proxy does, which is no run. */
const BESIDE = "beside";

function nameOf({ manifest }: Trial): LiveName {
  const { id, index, batch, variant, task, started_at } = manifest;
  return {
    id,
    label: `run ${index}`,
    started_at,
    ...(batch === undefined ? {} : { batch }),
    ...(variant === undefined ? {} : { variant }),
    ...(task === undefined ? {} : { task }),
  };
}

/** A run of `waymark run` names its scenarios itself; one of `runs start` or of the server has notes in its folder. */
function courseOf({ manifest, folder = "" }: Trial): Course {
  const { scenarios = [], params = {}, started_at: since } = manifest;
  const notes = readLiveNotes(folder);
  const order = readOrder(folder);
  const files = new Map(scenarios.map(({ name, file }) => [name, file]));
  const log = notes?.log ?? order?.marks?.log;
  return {
    log: log ?? placesIn(folder).telemetry,
    scenarios: notes?.scenarios ?? order?.scenarios ?? [...files.keys()],
    files,
    params: new Map(Object.entries(notes?.params ?? order?.params ?? params)),
    ...(log === undefined ? {} : { since }),
  };
}

interface Following {
  readonly signal: AbortSignal;
  readonly onRead: (standing: () => SeriesStanding) => void;
}

async function followCourse(course: Course, { signal, onRead }: Following, deps: FeedDeps): Promise<void> {
  const scenarios = await scenariosOf(course, deps.shelf);
  if (scenarios.length === 0) return;
  const known = new Set(scenarios.flatMap(({ scenario }) => scenario.params.map(({ name }) => name)));
  await gradeLogs({
    logs: [course.log],
    scenarios,
    params: new Map([...course.params].filter(([name]) => known.has(name))),
    follow: signal,
    watching: { until: "signal", onRead },
    now: deps.now,
    ...(course.since === undefined ? {} : { since: course.since }),
  });
}

/** From the server's own folder by their names, else from the files where the run found them. */
async function scenariosOf({ scenarios, files }: Course, shelf: ScenarioShelf): Promise<readonly LoadedScenario[]> {
  const wanted = scenarios.length === 0 ? [[]] : scenarios.map((name) => [name]);
  const found = await Promise.all(
    wanted.map(async (names): Promise<readonly LoadedScenario[]> => {
      const selected = await shelf.select(names, []).catch(() => undefined);
      if (selected?.kind === "loaded") return selected.scenarios;
      const file = files.get(names[0] ?? "");
      return file === undefined ? [] : [await loadScenario(file)];
    }),
  );
  return found.flat();
}
