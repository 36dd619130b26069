import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { connectDevtools, type Devtools } from "./devtools.ts";
import { type DevtoolsPlace, devtoolsUrl } from "./devtools-url.ts";
import { FOLLOW_PAGES, type Pages } from "./pages.ts";

/** Where browsers are looked for. */
export interface Whereabouts {
  readonly places: readonly DevtoolsPlace[];
  readonly profilesFolder?: string;
}

export interface Following {
  /** Lets go of all browsers, which run on. Never rejects. */
  stop(): Promise<void>;
}

const LOOK_MS = 50;
/** More browsers than a run has; a folder with more is none of profiles. */
const MOST_BROWSERS = 50;

/** Hands the pages of each browser that listens at one of the places, now or later, to `pages`. */
export function followBrowsers({ places, profilesFolder }: Whereabouts, pages: Pages): Following {
  const stopping = new AbortController();
  const { signal } = stopping;
  const followed = places.map((place) => followOne(place, pages, signal));
  const known = new Set<string>();
  const lookForProfiles = async (folder: string): Promise<void> => {
    for (; !signal.aborted && known.size < MOST_BROWSERS; await pause(LOOK_MS, signal)) {
      for (const name of await foldersIn(folder)) {
        if (known.has(name)) continue;
        known.add(name);
        followed.push(followOne({ profileFolder: join(folder, name) }, pages, signal));
      }
    }
  };
  const looking = profilesFolder === undefined ? undefined : lookForProfiles(profilesFolder);
  return {
    async stop() {
      stopping.abort();
      await looking;
      await Promise.all(followed);
    },
  };
}

async function followOne(place: DevtoolsPlace, pages: Pages, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const devtools = await connect(place, pages);
    if (devtools === undefined) await pause(LOOK_MS, signal);
    else {
      await Promise.race([devtools.closed, untilAborted(signal)]);
      devtools.close();
    }
  }
}

async function connect(place: DevtoolsPlace, pages: Pages): Promise<Devtools | undefined> {
  const url = await devtoolsUrl(place);
  if (url === undefined) return undefined;
  let devtools: Devtools | undefined;
  devtools = await connectDevtools(url, (event) => {
    if (devtools !== undefined) pages.take(devtools, event);
  });
  void devtools?.send("Target.setAutoAttach", FOLLOW_PAGES);
  return devtools;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // no browser was started yet
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Resolves after `ms`, or at the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined); // the signal is the other way to go on
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
