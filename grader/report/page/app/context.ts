import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import type { LiveRun } from "../../../watch/live-run.ts";
import type { PageData } from "../data.ts";
import type { Route } from "./route.ts";
import type { Source } from "./source.ts";

/** Runs under way, and when by the page's clock they were told. */
export interface LiveState {
  readonly runs: readonly LiveRun[];
  readonly at: number;
  readonly state: "connected" | "lost";
}

export interface Page {
  /** Present on a page that a server keeps telling. */
  readonly live?: LiveState;
  readonly data: PageData;
  readonly source: Source;
  readonly route: Route;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** What every screen needs. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error("a screen stands outside the page");
  return page;
}

export type Loaded<T> =
  | { readonly kind: "waiting" }
  | { readonly kind: "ready"; readonly value: T }
  | { readonly kind: "failed"; readonly why: string };

/** Something that has to be unpacked first; asked for anew when a key changes. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ kind: "waiting" });
  useEffect(() => {
    let isWanted = true;
    setState({ kind: "waiting" });
    const settle = (next: Loaded<T>): void => void (isWanted && setState(next));
    load().then(
      (value) => settle({ kind: "ready", value }),
      (cause: unknown) => settle({ kind: "failed", why: cause instanceof Error ? cause.message : String(cause) }),
    );
    return () => {
      isWanted = false;
    };
  }, keys);
  return state;
}

/** The width of an element in pixels, kept up to date, so that a chart is drawn at its true size. */
export function useWidth<E extends HTMLElement>(initial = 600) {
  const ref = useRef<E>(null);
  const [width, setWidth] = useState(initial);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    const measure = (): void => setWidth(Math.max(120, Math.floor(element.clientWidth)));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, width };
}

/** Listens for a key while nothing is being typed; `true` from the handler keeps the browser from acting on it. */
export function useKeys(onKey: (key: string, event: KeyboardEvent) => boolean): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === " " && isPressed(event.target)) return;
      if (latest.current(event.key, event)) event.preventDefault();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("input, select, textarea, [data-own-keys]") !== null;
}

/** Things that the space bar already does something to. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, summary, a, video, .scroll") !== null;
}
