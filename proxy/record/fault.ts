import { excerpt, formatPlace, type Place } from "./place.ts";

interface CatalogueEntry {
  /** Exit code of a command that ends with this fault (DESIGN.md section 5). */
  readonly exit: 1 | 2 | 3 | 4 | 70;
  /** What the code means, one sentence for docs/errors.md. */
  readonly what: string;
  /** What to do about it. */
  readonly fix: string;
}

/** Every code waymark can raise. docs/errors.md is made from this table; add a code here and nowhere else. */
export const CATALOGUE = {
  // wrong use
  WM_USAGE: { exit: 2, what: "The command line is wrong.", fix: "See `waymark <verb> --help`." },
  WM_USAGE_NOT_A_NUMBER: {
    exit: 2,
    what: "An option that takes a number got something else.",
    fix: "Give a whole number.",
  },
  WM_USAGE_DURATION: {
    exit: 2,
    what: "A duration has no unit, is not a number, or is zero where time has to pass.",
    fix: "Write it like 500ms, 30s or 2m.",
  },
  WM_USAGE_SIZE: {
    exit: 2,
    what: "A size is not a number with a unit, or zero where something has to fit.",
    fix: "Write it like 500KB, 64MB or 1GB.",
  },
  WM_USAGE_MAP: {
    exit: 2,
    what: "`--map` is not HOST=HOST:PORT, or names a host that nobody could ever ask for.",
    fix: "Write it like `--map events.example.com=127.0.0.1:8443`.",
  },
  WM_USAGE_HOST: {
    exit: 2,
    what: "A pattern of `--host` or `--bypass` is no host name or address, so that it could never match.",
    fix: "Write it like example.com, *.example.com, 127.0.0.1:8443 or [::1]:8443, without scheme and path.",
  },
  WM_USAGE_REDACT: {
    exit: 2,
    what: "`--redact` is no path into a record.",
    fix: 'Write it like data.user.email, data.items[*].card or data["a.b"].',
  },
  WM_USAGE_PARAM: {
    exit: 2,
    what: "`--param` is not name=value, or names no parameter of the scenario.",
    fix: "Write `--param user=ann`; `waymark check` lists a scenario's parameters.",
  },
  WM_USAGE_GATE: {
    exit: 2,
    what: "`--gate` is not understood, could never be met or never fail, or does not fit the number of runs.",
    fix: "Write all, any, 4/5, 80% or lower:60%.",
  },
  WM_USAGE_VARIANT: {
    exit: 2,
    what: "`--variant` is not NAME=CMD, or its command needs a shell.",
    fix: `Write --variant "old=node agent.js --fast"; no shell runs, so write sh -c '...' where you need one.`,
  },
  WM_USAGE_TASKS: {
    exit: 2,
    what: "The file of `--task` is no list of tasks.",
    fix: "Write a YAML or JSON list of maps: name, and where wanted params, env and args.",
  },
  WM_USAGE_SINCE: {
    exit: 2,
    what: "`--since` is neither an ISO 8601 time nor a duration.",
    fix: "Write `--since 2026-01-31T12:00:00Z` or `--since 10m`.",
  },
  WM_USAGE_VERSION: {
    exit: 2,
    what: "`--version` is not element=version, or names a file that cannot be read.",
    fix: "Write it like `--version app=1.4.2`, or `--version prompt=@prompt.md` for the hash of a file.",
  },
  // cost and steps
  WM_RUN_PRICES: {
    exit: 2,
    what: "A price file cannot be read, or holds something else than prices.",
    fix: "Write US dollars per million tokens, one model a line: `gpt-x: {input: 2.50, output: 10, cached: 1.25}`.",
  },
  WM_RUN_UNPRICED: {
    exit: 2,
    what: "A run used a model, or a kind of tokens, that the price file has no price for; the cost shown is a lower bound.",
    fix: "Add the model to the price file, or a pattern such as `gpt-x*`.",
  },
  WM_RUN_STEP_LINE: {
    exit: 2,
    what: "A line of a step log is no step, or holds a figure that is none; it is left out, the others count.",
    fix: 'Write one JSON object a line: `{"name": "search", "started_at": "2026-01-31T12:00:00Z", "duration_ms": 900, "cost_usd": 0.002}`.',
  },
  // the configuration
  WM_CONFIG_NOT_FOUND: {
    exit: 2,
    what: "The file of `--config` or `WAYMARK_CONFIG` is not there or cannot be read.",
    fix: "Name another file; `waymark init` writes one, `waymark config path` says which one is used.",
  },
  WM_CONFIG_YAML: { exit: 2, what: "The configuration is not YAML that can be read.", fix: "Mend the place shown." },
  WM_CONFIG_UNKNOWN_KEY: {
    exit: 2,
    what: "The configuration has a key, an option or a verb that waymark does not know.",
    fix: "Use one of the known names; `waymark config show` lists the options.",
  },
  WM_CONFIG_WRONG_TYPE: {
    exit: 2,
    what: "A value of the configuration is missing or of the wrong kind.",
    fix: "Write what is named; `waymark schema config` gives editors completion.",
  },
  WM_CONFIG_PROFILE: {
    exit: 2,
    what: "The configuration has no profile of the name that `--profile` or `WAYMARK_PROFILE` gives.",
    fix: "Add it under `profiles:`, or name another one.",
  },
  // scenario files
  WM_SCENARIO_NOT_FOUND: {
    exit: 4,
    what: "No scenario with that name is in the markers folder or among the shipped ones.",
    fix: "Check the name; `waymark check` lists what there is.",
  },
  WM_SCENARIO_UNREADABLE: {
    exit: 2,
    what: "A scenario file cannot be read.",
    fix: "Check that it exists and may be read.",
  },
  WM_SCENARIO_YAML: {
    exit: 2,
    what: "A scenario file is not valid YAML 1.2.",
    fix: "Mend the place shown; values with special characters need quotes.",
  },
  WM_SCENARIO_YAML_TRAP: {
    exit: 2,
    what: "A YAML value is not what it looks like (an ambiguous number, a tag, a merge key, digits that would be lost).",
    fix: "Quote the value, or write what it says.",
  },
  WM_SCENARIO_YAML_LIMIT: {
    exit: 2,
    what: "A scenario file is nested too deep, too large, or its aliases expand to too much.",
    fix: "Write the parts out, or split the file.",
  },
  WM_SCENARIO_UNKNOWN_KEY: {
    exit: 2,
    what: "A key is not part of the scenario language at this place.",
    fix: "Use one of the known keys listed.",
  },
  WM_SCENARIO_WRONG_TYPE: { exit: 2, what: "A value has the wrong type.", fix: "Give a value of the type named." },
  WM_SCENARIO_MISSING_KEY: { exit: 2, what: "A key that is needed is absent.", fix: "Add it." },
  WM_SCENARIO_VERSION: {
    exit: 2,
    what: "The file is written for another version of the scenario language.",
    fix: "Write `waymark: 1`, or update waymark.",
  },
  WM_SCENARIO_EMPTY: {
    exit: 2,
    what: "A scenario has neither markers nor rules, so it could never fail.",
    fix: "Add at least one marker or rule.",
  },
  WM_SCENARIO_DUPLICATE_NAME: {
    exit: 2,
    what: "Two markers, rules or scenarios have the same name.",
    fix: "Rename one of them.",
  },
  WM_SCENARIO_PATH: {
    exit: 2,
    what: "A field path cannot be read.",
    fix: "Write it like data.user.id, items[0].id or $.items[*].id.",
  },
  WM_SCENARIO_JSONPATH: {
    exit: 2,
    what: "A JSONPath expression is not valid, or uses script expressions, which waymark never evaluates.",
    fix: "Use RFC 9535 JSONPath without function calls on values.",
  },
  WM_SCENARIO_MODIFIER: {
    exit: 2,
    what: "A field test uses an unknown modifier, or modifiers that do not go together.",
    fix: "Use one of the known modifiers listed.",
  },
  WM_SCENARIO_ARGUMENT: {
    exit: 2,
    what: "A field test's value does not fit its modifier.",
    fix: "Give a value of the kind named.",
  },
  WM_SCENARIO_REGEX: {
    exit: 2,
    what: "A regular expression is not valid RE2 syntax.",
    fix: "RE2 has no look-around and no back-references; write the pattern without them.",
  },
  WM_SCENARIO_DURATION: { exit: 2, what: "A duration in a scenario has no unit.", fix: "Write 5s, 500ms or 2m." },
  WM_SCENARIO_UPPER_BOUND: {
    exit: 2,
    what: "An upper bound was given to a marker's repeat.",
    fix: "An upper bound forbids events, so it is a rule: count: ..., max: 3, after: ..., until: ...",
  },
  WM_SCENARIO_UNKNOWN_PATTERN: {
    exit: 2,
    what: "A pattern name is defined nowhere.",
    fix: "Define it under `define:`, or use a marker's name.",
  },
  WM_SCENARIO_CYCLE: { exit: 2, what: "Patterns or files refer to themselves.", fix: "Break the circle." },
  WM_SCENARIO_VARIABLE: {
    exit: 2,
    what: "A variable is used where it is not bound on every path, or is unknown.",
    fix: "Capture it in a marker that always comes before, or declare it under `params:`.",
  },
  WM_SCENARIO_PARAM: {
    exit: 2,
    what: "A required parameter has no value, or a value has the wrong type.",
    fix: "Pass it with `--param name=value`.",
  },
  WM_SCENARIO_UNSUPPORTED: {
    exit: 2,
    what: "A part of the scenario language that this version cannot grade yet.",
    fix: "Leave it out; the error names it.",
  },
  WM_SCENARIO_LINT: {
    exit: 2,
    what: "A scenario is well formed but will not do what its author wants.",
    fix: "See the message.",
  },
  WM_SCENARIO_EXAMPLE: {
    exit: 2,
    what: "One of a scenario's own examples does not get the verdict it should.",
    fix: "Mend the scenario, or the example's verdict.",
  },
  WM_SCENARIO_USE: {
    exit: 2,
    what: "A file named by `use` or `extends` cannot be taken over.",
    fix: "Check the path, which is relative to the file that names it.",
  },
  // logs
  WM_LOG_NOT_FOUND: {
    exit: 3,
    what: "There is no log to grade.",
    fix: "Start `waymark proxy` beside the app, or name a log.",
  },
  WM_LOG_UNREADABLE: { exit: 3, what: "A log exists but cannot be read.", fix: "Check its permissions." },
  WM_LOG_NEWER_FORMAT: { exit: 3, what: "A log was written by a newer waymark.", fix: "Update waymark." },
  WM_LOG_NO_EVENTS: {
    exit: 3,
    what: "The graded range has no telemetry event.",
    fix: "Check that the app runs under the proxy: `waymark env`, and the counts `waymark proxy` prints.",
  },
  // database
  WM_STORE_UNREADABLE: {
    exit: 3,
    what: "The database cannot be opened.",
    fix: "Check that its folder can be written; WAL needs write access.",
  },
  WM_STORE_NEWER: {
    exit: 3,
    what: "The database was made by a newer waymark.",
    fix: "Update waymark, or name another file with --db.",
  },
  WM_STORE_BUSY: {
    exit: 3,
    what: "The database stayed locked by another program.",
    fix: "Close the program that holds it, or name another file with --db.",
  },
  WM_STORE_DAMAGED: {
    exit: 3,
    what: "The database file is damaged or is no database.",
    fix: "Move it away; waymark makes a new one.",
  },
  WM_STORE_FULL: {
    exit: 3,
    what: "The result could not be stored because the disk is full.",
    fix: "Free some space and grade again.",
  },
  WM_RUN_NOT_FOUND: {
    exit: 4,
    what: "No stored run has that id, or nothing is stored yet.",
    fix: "Grade a log first (`waymark grade`), then `waymark runs list` shows the ids; --db names another database.",
  },
  WM_RUN_DAMAGED: {
    exit: 3,
    what: "The folder of a run cannot be read: its `run.json` or `result.json` is missing or damaged.",
    fix: "Remove that folder (`waymark runs prune`), or restore it from an export; the other runs are not touched.",
  },
  WM_RUN_FOLDER: {
    exit: 3,
    what: "The folder of a run cannot be made or written.",
    fix: "Check --dir, its permissions and the space on its disk.",
  },
  WM_RUN_LAUNCH: {
    exit: 3,
    what: "The command under test could not be started.",
    fix: "Check the command behind --, its spelling and its permissions.",
  },
  WM_RUN_PREPARE: {
    exit: 3,
    what: "The command of `--prepare` failed, so the run was not started.",
    fix: "Read prepare.log in the run's folder; the command runs through the shell, in the folder of waymark.",
  },
  WM_RUN_NO_TELEMETRY: {
    exit: 3,
    what: "No telemetry event reached the proxy in a run, so there is nothing to grade.",
    fix: "See what the proxy saw; `--all` or `--host NAME` opens the app's telemetry host, docs/trust.md says how to trust the CA.",
  },
  WM_RUN_RUNNING: {
    exit: 2,
    what: "The run is still under way, so that this cannot be done with it yet.",
    fix: "Wait for its end, or end it: `waymark runs stop RUN`. One whose waymark died goes with `waymark runs rm RUN --yes`.",
  },
  WM_RUN_EXISTS: {
    exit: 3,
    what: "A run with that id is here already.",
    fix: "Nothing was imported. --replace takes the archive's runs instead of those here.",
  },
  WM_RUN_EVIDENCE: {
    exit: 3,
    what: "A file cannot be attached to a run.",
    fix: "Check that it is a file, that it may be read, and that the run's folder can be written.",
  },
  WM_RUN_NO_CAPTURE: {
    exit: 3,
    what: "`runs start` found no log that a proxy is writing.",
    fix: "Start `waymark proxy` first, or name its folder with --log.",
  },
  WM_RUN_ARCHIVE_DAMAGED: {
    exit: 3,
    what: "An archive of runs cannot be unpacked: it is damaged, cut short, or no zip.",
    fix: "Export it again, or copy it again; nothing was imported.",
  },
  WM_RUN_ARCHIVE_UNSAFE: {
    exit: 3,
    what: "An archive holds what could do harm: paths that lead out, links, two entries of one name, overlapping entries.",
    fix: "Do not unpack it by other means; ask for one made by `waymark runs export`.",
  },
  WM_RUN_ARCHIVE_SIZE: {
    exit: 3,
    what: "An archive would unpack to more than is allowed.",
    fix: "If you trust it, allow more with --max-size.",
  },
  WM_RUN_ARCHIVE_FOREIGN: {
    exit: 3,
    what: "A zip is no archive made by `waymark runs export`.",
    fix: "Name one that is; logs by themselves are graded with `waymark grade`.",
  },
  WM_RUN_ARCHIVE_NEWER: { exit: 3, what: "An archive was made by a newer waymark.", fix: "Update waymark." },
  WM_RUN_LOG_GONE: {
    exit: 3,
    what: "The telemetry of a stored run is no longer where it was, so the run cannot be graded again.",
    fix: "Bring the log back to the path named, or import the run; the other runs are graded all the same.",
  },
  // comparisons
  WM_COMPARE_MARKERS: {
    exit: 2,
    what: "Runs that are to be compared were graded by different versions of a scenario's markers.",
    fix: "Grade both sides with the same markers (`waymark regrade`), then compare again, or compare with --regrade.",
  },
  WM_COMPARE_SCENARIO: {
    exit: 4,
    what: "No scenario graded both sides of a comparison.",
    fix: "Compare runs of one scenario, or grade one side by the other's with `waymark regrade --scenario NAME`.",
  },
  WM_COMPARE_SIDES: {
    exit: 2,
    what: "A comparison needs two sides, and the words given do not make two.",
    fix: "Such as `waymark compare batch:latest/variant:old batch:latest/variant:new`.",
  },
  WM_COMPARE_TABLE: {
    exit: 2,
    what: "An outcome table cannot be read, or a line of it is no outcome.",
    fix: "Give NDJSON or CSV with task, variant, trial and success; docs/comparing.md has the names of the columns.",
  },
  WM_COMPARE_TABLE_TWICE: {
    exit: 2,
    what: "An outcome table holds the same trial of a task and variant twice, so that it would count twice.",
    fix: "Remove one of the lines, or give the trials different numbers.",
  },
  WM_COMPARE_TABLE_EMPTY: {
    exit: 4,
    what: "An outcome table holds no outcome.",
    fix: "Name a file that holds some.",
  },
  // proxy and certificates
  WM_PROXY_PORT_TAKEN: {
    exit: 3,
    what: "The proxy's port is in use.",
    fix: "Stop the other program, or take another port with --port (0 takes a free one).",
  },
  WM_PROXY_LISTEN: { exit: 3, what: "The proxy cannot listen on that address.", fix: "Check --listen and --port." },
  WM_PROXY_OUT_TAKEN: {
    exit: 3,
    what: "Another proxy is writing this log series.",
    fix: "Stop it, or give this one another --out or --name.",
  },
  WM_PROXY_OUT_UNWRITABLE: {
    exit: 3,
    what: "The log folder cannot be written.",
    fix: "Check --out, its permissions and the disk.",
  },
  WM_PROXY_UPSTREAM: {
    exit: 2,
    what: "The upstream proxy of `--upstream` is no address of a proxy, or `env` found none in the environment.",
    fix: "Write it like `--upstream http://proxy.example:3128`, with user:password@ before the host where it wants them.",
  },
  WM_PROXY_UPSTREAM_CA: {
    exit: 2,
    what: "The file given with --upstream-ca is no PEM certificate.",
    fix: "Give a PEM file.",
  },
  WM_FORMAT_UNREADABLE: {
    exit: 2,
    what: "A format file cannot be read.",
    fix: "Check --format, and the files in the formats folder.",
  },
  WM_FORMAT_YAML: {
    exit: 2,
    what: "A format file is not valid YAML 1.2.",
    fix: "Mend the place shown; a path with brackets needs quotes inside { }.",
  },
  WM_FORMAT_INVALID: {
    exit: 2,
    what: "A format file says something that a format cannot say.",
    fix: "See docs/formats.md, or `waymark schema format`.",
  },
  WM_FORMAT_DECODER: {
    exit: 2,
    what: "A decoder's file cannot be loaded, holds no decoder, or two decoders have one name.",
    fix: "It has to export `decoder` with a name, score and decode; docs/formats.md shows one.",
  },
  WM_CERTS_UNREADABLE: {
    exit: 3,
    what: "The certificate authority's files cannot be read or are no valid pair.",
    fix: "Move the folder away; waymark makes a new authority, which has to be trusted again.",
  },
  WM_CERTS_KEY_EXPOSED: {
    exit: 3,
    what: "The authority's private key can be read by other users.",
    fix: "chmod 600 the key file and chmod 700 its folder, or delete both so that a new one is made.",
  },
  WM_CERTS_UNWRITABLE: {
    exit: 3,
    what: "The certificate authority cannot be stored.",
    fix: "Check the folder, or set WAYMARK_CA_DIR.",
  },
  WM_CERTS_STORE: {
    exit: 3,
    what: "A store of the system did not take the authority in, or did not let it out.",
    fix: "See what the command said; docs/trust.md has the steps for doing it by hand.",
  },
  WM_CERTS_NOT_ASKED: {
    exit: 2,
    what: "Something that reaches beyond waymark needs a yes, and there is no terminal to ask on.",
    fix: "Run it in a terminal, or say yes with -y.",
  },
  // opening apps
  WM_OPEN_NOT_FOUND: {
    exit: 3,
    what: "The program to open is not installed, or not where it was looked for.",
    fix: "Name it: `waymark open chrome:/path/to/chrome`, or set CHROME_PATH.",
  },
  WM_OPEN_PROXY: {
    exit: 3,
    what: "No proxy listens at the address given with `--proxy`.",
    fix: "Start `waymark proxy` first, or leave --proxy out so that `open` starts one.",
  },
  WM_OPEN_FAILED: {
    exit: 3,
    what: "The opened program ended with an error.",
    fix: "See its last words; arguments behind -- reach the program, such as `-- --no-sandbox` for Chromium as root.",
  },
  WM_PROXY_SYSTEM: {
    exit: 3,
    what: "The system's proxy settings cannot be read or changed, or another waymark holds them.",
    fix: "Set them by hand, or start the app with `waymark open` or `waymark run`, which need no system settings.",
  },
  // evaluator server
  WM_SERVE_OPEN: {
    exit: 2,
    what: "The evaluator server would be open to other machines without a token or without a root.",
    fix: "Give both --token and --root, or listen on 127.0.0.1.",
  },
  WM_SERVE_ROOT: { exit: 2, what: "The folder given with --root cannot be read.", fix: "Name a folder that is there." },
  WM_SERVE_PORT_TAKEN: {
    exit: 3,
    what: "The evaluator server's port is in use.",
    fix: "Stop the other program, or take another port with --port (0 takes a free one).",
  },
  WM_SERVE_LISTEN: {
    exit: 3,
    what: "The evaluator server cannot listen on that address.",
    fix: "Check --listen and --port.",
  },
  WM_SERVE_RUNS: { exit: 3, what: "The folder of a run cannot be made.", fix: "Check --dir and the disk." },
  WM_SERVE_BODY: {
    exit: 2,
    what: "A request to the evaluator server does not fit (400), or an evaluator's arguments do not.",
    fix: "Mend what the JSON pointer names; /openapi.json has the schemas.",
  },
  WM_SERVE_NOT_FOUND: {
    exit: 4,
    what: "The evaluator server knows no such evaluator, scenario, run, batch or path (404, 405).",
    fix: "Use one of the known names.",
  },
  WM_SERVE_FORBIDDEN: {
    exit: 2,
    what: "A path leads out of the root, or the request has a foreign Host or Origin (403).",
    fix: "Use paths inside --root; ask by address or localhost, or name the host with --allow-host.",
  },
  WM_SERVE_TOKEN: {
    exit: 2,
    what: "The evaluator server was asked without its token (401).",
    fix: "Send `Authorization: Bearer TOKEN`.",
  },
  WM_SERVE_TOO_LARGE: {
    exit: 2,
    what: "The body of a request is too large (413).",
    fix: "Send paths instead of contents; evidence goes to /v1/runs/ID/attach.",
  },
  WM_SERVE_MEDIA_TYPE: {
    exit: 2,
    what: "The body of a request is not plain application/json (415).",
    fix: "Send `Content-Type: application/json` without a Content-Encoding.",
  },
  WM_SERVE_BUSY: {
    exit: 3,
    what: "The evaluator server has as many requests as it takes at once (429).",
    fix: "Try again after the seconds in Retry-After, or raise --max-concurrent.",
  },
  WM_SERVE_STATE: {
    exit: 2,
    what: "A run is in a state in which this cannot be done (409).",
    fix: "Look at the run with GET /v1/runs/ID.",
  },
  WM_SERVE_STOPPING: { exit: 3, what: "The evaluator server stops (503).", fix: "Start it again." },
  WM_SERVE_TIME_LIMIT: {
    exit: 3,
    what: "A grading or a look took longer than the evaluator server allows.",
    fix: "Narrow it with `since`, or raise --time-limit.",
  },
  WM_SERVE_LIMIT: {
    exit: 3,
    what: "An evaluator met more than it can look at: too large a file, too many files or rows.",
    fix: "Ask for something smaller.",
  },
  WM_SERVE_LOOK: {
    exit: 3,
    what: "An evaluator could not look at the state: a file it may not read, a command that cannot be started, a query that is refused.",
    fix: "See the message.",
  },
  WM_SERVE_COMMAND: {
    exit: 2,
    what: "The `command` evaluator was asked for a command that is not allowed.",
    fix: "Start the server with --allow-command NAME=COMMAND.",
  },
  // learning
  WM_LEARN_NO_RUNS: {
    exit: 4,
    what: "There is no run to learn from, or a run holds no event.",
    fix: "Name two to ten good runs: their folders, logs, or words such as `good` (see `waymark runs`).",
  },
  WM_LEARN_NO_PASSING_RUN: {
    exit: 4,
    what: "There is no run that passes the scenario, so no defect can be planted into one.",
    fix: "Name a run that passes (`waymark mutate -s NAME --runs RUN`); `waymark explain` says why one does not.",
  },
  WM_LEARN_STATE: {
    exit: 2,
    what: "What was kept of the runs beside a learned scenario is missing or damaged, so no run can be added to it.",
    fix: "Learn again from all good runs: `waymark learn RUN... -o FILE`.",
  },
  WM_LEARN_JUDGE: {
    exit: 2,
    what: "The command given with --judge failed, or its answer is none.",
    fix: 'It reads a JSON document on its standard input and prints {"same": true} or {"same": false}; docs/learning.md shows one.',
  },
  // output
  WM_OUTPUT_FAILED: { exit: 3, what: "An output file could not be written.", fix: "Check the path and the disk." },
  WM_DEMO_FAILED: {
    exit: 3,
    what: "The demo's app or agent could not be run.",
    fix: "See the message; `npm run build` makes a fresh build.",
  },
  WM_BUG: {
    exit: 70,
    what: "waymark met a state that should be impossible.",
    fix: "Please report it with the text shown.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type FaultCode = keyof typeof CATALOGUE;
export type Severity = "error" | "warning" | "hint";

/** One thing that is wrong: what, where, and what to do. */
export interface Fault {
  readonly code: FaultCode;
  readonly severity: Severity;
  readonly message: string;
  readonly fix: string;
  readonly place?: Place;
  /** The line the place is on, with carets, when its text is at hand. */
  readonly excerpt?: string;
  /** Text that mends it when it takes the place's characters; only for mends that cannot be wrong. */
  readonly replacement?: string;
}

export interface FaultDetails {
  readonly severity?: Severity;
  readonly place?: Place | undefined;
  /** Text of the file the place is in; gives the fault its excerpt. */
  readonly text?: string | undefined;
  /** A fix more exact than the catalogue's. */
  readonly fix?: string | undefined;
  readonly replacement?: string | undefined;
}

/** Makes a fault; the fix comes from the catalogue unless a better one is given. */
export function fault(code: FaultCode, message: string, details: FaultDetails = {}): Fault {
  const { severity = "error", place, text, fix = CATALOGUE[code].fix, replacement } = details;
  const shown = place !== undefined && text !== undefined ? excerpt(text, place) : "";
  return {
    code,
    severity,
    message,
    fix,
    ...(place === undefined ? {} : { place }),
    ...(shown === "" ? {} : { excerpt: shown }),
    ...(replacement === undefined ? {} : { replacement }),
  };
}

/** An error the user can act on. Carries one or more faults; `exitCode` is that of its first error. */
export class WaymarkError extends Error {
  readonly faults: readonly Fault[];
  override readonly name = "WaymarkError";

  constructor(faults: Fault | readonly Fault[], options?: ErrorOptions) {
    const list: readonly Fault[] = Array.isArray(faults) ? faults : [faults as Fault];
    super(list.map(renderFault).join("\n\n"), options);
    this.faults = list;
  }

  get code(): FaultCode {
    return (this.faults.find(({ severity }) => severity === "error") ?? this.faults[0])?.code ?? "WM_BUG";
  }

  get exitCode(): number {
    return CATALOGUE[this.code].exit;
  }
}

/** A `WaymarkError` with one fault; the short way to raise it. */
export function waymarkError(
  code: FaultCode,
  message: string,
  details: FaultDetails & ErrorOptions = {},
): WaymarkError {
  return new WaymarkError(fault(code, message, details), "cause" in details ? { cause: details.cause } : undefined);
}

/** The fault as text for a terminal: place and code, message, the line with carets, the fix. No colour, no control characters. */
export function renderFault({ code, severity, message, fix, place, excerpt: shown }: Fault): string {
  const head = place === undefined ? `${severity} ${code}` : `${plain(formatPlace(place))}: ${severity} ${code}`;
  return [head, `  ${plain(message)}`, ...(shown === undefined ? [] : [shown]), `  fix: ${plain(fix)}`].join("\n");
}

const MAX_SHOWN = 2000;

/** Messages quote files and options; what is in those must neither steer a terminal nor fill it. */
function plain(text: string): string {
  const cut = text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
  return cut.replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === "\n" ? "\n  " : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
}
