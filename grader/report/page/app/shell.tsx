import { useEffect, useState } from "preact/hooks";
import { usePage } from "./context.ts";
import { linkTo, type Screen } from "./route.ts";
import { Compare } from "./screens/compare.tsx";
import { Live } from "./screens/live.tsx";
import { Markers } from "./screens/markers.tsx";
import { Overview } from "./screens/overview.tsx";
import { Run } from "./screens/run.tsx";
import { Scenario } from "./screens/scenario.tsx";
import { Trend } from "./screens/trend.tsx";
import { day, plural, scenarioName, seen } from "./words.ts";

/** What stands around every screen: where one is, where one can go, and how it is shown. */
export function Shell() {
  const { data, route } = usePage();
  useEffect(() => {
    document.title = `${seen(data.title)} · ${route.screen} · waymark report`;
    window.scrollTo(0, 0);
  }, [route.screen, route.of, data.title]);
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={linkTo("overview")}>
          <Mark /> waymark
        </a>
        <Navigation />
        <ThemeSwitch />
      </header>
      <main id="main" tabIndex={-1}>
        <ScreenOf screen={route.screen} />
      </main>
      <footer class="bottom">
        <p>
          Made {day(data.made_at)} by waymark {seen(data.waymark)} from {plural(data.runs.length, "run")}.{" "}
          {data.redacted === undefined
            ? null
            : data.redacted === 0
              ? "Nothing in the shown telemetry was redacted."
              : `${plural(data.redacted, "value")} were redacted before anything was written.`}
        </p>
        {data.notes.map((note) => (
          <p key={note}>{seen(note)}</p>
        ))}
        <p class="keys">
          <kbd>j</kbd> <kbd>k</kbd> next and previous run · <kbd>←</kbd> <kbd>→</kbd> markers · <kbd>space</kbd> play
        </p>
      </footer>
    </>
  );
}

function ScreenOf({ screen }: { readonly screen: Screen }) {
  const { data, live } = usePage();
  // Where nothing was graded yet, what happens now is all there is to see.
  if (screen === "overview" && live !== undefined && data.runs.length === 0) return <Live />;
  switch (screen) {
    case "overview":
      return <Overview />;
    case "scenario":
      return <Scenario />;
    case "run":
      return <Run />;
    case "compare":
      return <Compare />;
    case "markers":
      return <Markers />;
    case "trend":
      return <Trend />;
    case "live":
      return <Live />;
  }
}

function Navigation() {
  const { data, route, live } = usePage();
  const scenario =
    route.screen === "scenario" || route.screen === "markers" || route.screen === "trend" ? route.of : "";
  const failed = data.runs.find(({ verdict }) => verdict !== "pass") ?? data.runs[0];
  const links: readonly (readonly [Screen, string, string | undefined])[] = [
    ["overview", "Overview", ""],
    ["scenario", "Scenario", data.scenarios.length === 0 ? undefined : scenario],
    ["run", "Runs", failed?.id],
    ["compare", "Compare", data.comparisons.length === 0 ? undefined : ""],
    ["markers", "Markers", data.scenarios.length === 0 ? undefined : scenario],
    ["trend", "Trend", data.history.length === 0 ? undefined : scenario],
    ["live", live === undefined || live.runs.length === 0 ? "Live" : `Live (${live.runs.length})`, live && ""],
  ];
  return (
    <nav aria-label="Screens">
      {links.map(([screen, words, of]) =>
        of === undefined ? null : (
          <a key={screen} href={linkTo(screen, of)} aria-current={route.screen === screen ? "page" : undefined}>
            {words}
          </a>
        ),
      )}
    </nav>
  );
}

/** Chooses one of several scenarios; with one there is nothing to choose. */
export function ScenarioPicker({ screen, at }: { readonly screen: Screen; readonly at: number }) {
  const { scenarios } = usePage().data;
  if (scenarios.length < 2) return null;
  return (
    <label class="picker">
      Scenario{" "}
      <select
        value={at}
        onChange={(event) => {
          location.hash = linkTo(screen, event.currentTarget.value);
        }}
      >
        {scenarios.map((scenario, position) => (
          <option key={position} value={position}>
            {scenarioName(scenario, scenarios)}
          </option>
        ))}
      </select>
    </label>
  );
}

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const NEXT_SIGN: Readonly<Record<Theme, string>> = { auto: "◐", light: "☀", dark: "☾" };

function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(storedTheme);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem("waymark-theme", theme);
    } catch {
      // A browser may forbid it; the choice then lasts as long as the page.
    }
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  return (
    <button
      type="button"
      class="theme"
      aria-label={`Colours: ${theme}. Change to ${next}.`}
      title={`Colours: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <span aria-hidden="true">{NEXT_SIGN[theme]}</span>
    </button>
  );
}

function storedTheme(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem("waymark-theme")) ?? "auto";
  } catch {
    return "auto";
  }
}

function Mark() {
  return (
    <svg class="logo" width={22} height={22} viewBox="0 0 22 22" aria-hidden="true">
      <path d="M3 16 L8 7 L13 13 L19 4" />
      <circle cx="3" cy="16" r="2.2" />
      <circle cx="8" cy="7" r="2.2" />
      <circle cx="13" cy="13" r="2.2" />
      <circle cx="19" cy="4" r="2.2" />
    </svg>
  );
}
