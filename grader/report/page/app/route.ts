import { useEffect, useState } from "preact/hooks";

export type Screen = "overview" | "scenario" | "run" | "compare" | "markers" | "trend" | "live";
const SCREENS: readonly string[] = ["overview", "scenario", "run", "compare", "markers", "trend", "live"];

/** What the address says: a screen, which of its things, and filters. All of it can be linked to. */
export interface Route {
  readonly screen: Screen;
  readonly of: string;
  readonly query: URLSearchParams;
}

/** Reads the part of an address behind `#`; anything unknown is the overview. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [screen = "", ...of] = path.split("/");
  const known = SCREENS.includes(screen) ? (screen as Screen) : "overview";
  return { screen: known, of: decode(of.join("/")), query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // somebody's own percent sign
  }
}

/** The link to a screen; values that are absent or empty are left out. */
export function linkTo(screen: Screen, of = "", query: Readonly<Record<string, string | undefined>> = {}): string {
  const filled = Object.entries(query).filter((entry): entry is [string, string] => (entry[1] ?? "") !== "");
  const tail = filled.length === 0 ? "" : `?${new URLSearchParams(filled)}`;
  return `#/${screen}${of === "" ? "" : `/${encodeURIComponent(of)}`}${tail}`;
}

/** Goes on without a new entry in the history, as for a filter that is being typed. */
export function replaceRoute(hash: string): void {
  history.replaceState(null, "", hash);
  window.dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return route;
}
