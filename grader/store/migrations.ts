/** `PRAGMA application_id` of a waymark database: "WYMK". */
export const APPLICATION_ID = 0x57594d4b;

/**
 * The database's versions, in order: the statements at index n bring version n to n + 1 (`PRAGMA user_version`).
 * Forward only; a released entry is never changed, a change of the schema is a new entry.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,
    scenario       TEXT NOT NULL,
    file           TEXT NOT NULL,
    markers_sha256 TEXT NOT NULL,
    grader_version TEXT NOT NULL,
    batch          TEXT,
    variant        TEXT,
    graded_at      TEXT NOT NULL,
    started_at     TEXT,
    ended_at       TEXT,
    verdict        TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'inconclusive', 'error')),
    success        INTEGER NOT NULL CHECK (success IN (0, 1)),
    coverage       REAL NOT NULL,
    found          INTEGER NOT NULL,
    total          INTEGER NOT NULL,
    reason         TEXT NOT NULL,
    events         INTEGER NOT NULL,
    duration_ms    REAL NOT NULL,
    cost_usd       REAL,
    provenance     TEXT NOT NULL DEFAULT 'live' CHECK (provenance IN ('live', 'replay', 'simulated')),
    self_report    TEXT,
    agrees         INTEGER CHECK (agrees IN (0, 1)),
    log            TEXT NOT NULL,
    range          TEXT NOT NULL,
    session        TEXT,
    folder         TEXT,
    result         TEXT NOT NULL
  ) STRICT;
  CREATE INDEX runs_by_scenario ON runs (scenario, variant);
  CREATE INDEX runs_by_batch ON runs (batch) WHERE batch IS NOT NULL;

  CREATE TABLE marker_results (
    run      TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    status   TEXT NOT NULL CHECK (status IN ('found', 'missing', 'skipped', 'undecided')),
    file     TEXT,
    line     INTEGER,
    record   INTEGER,
    at       TEXT,
    after_ms REAL,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rule_results (
    run             TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    name            TEXT NOT NULL,
    verdict         TEXT NOT NULL,
    severity        TEXT NOT NULL,
    exercised       INTEGER NOT NULL,
    violation_count INTEGER NOT NULL,
    reason          TEXT,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE steps (
    run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    name        TEXT NOT NULL,
    started_at  TEXT,
    duration_ms REAL,
    cost_usd    REAL,
    tokens      INTEGER,
    PRIMARY KEY (run, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE artifacts (
    run    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind   TEXT NOT NULL,
    path   TEXT NOT NULL,
    sha256 TEXT,
    PRIMARY KEY (run, kind, path)
  ) STRICT, WITHOUT ROWID;

  CREATE VIEW pass_rate_by_variant AS
  SELECT scenario, variant,
         COUNT(*)                                     AS runs,
         SUM(verdict = 'pass')                        AS passed,
         SUM(verdict = 'fail')                        AS failed,
         SUM(verdict = 'inconclusive')                AS inconclusive,
         SUM(verdict = 'error')                       AS errors,
         CAST(SUM(verdict = 'pass') AS REAL)
           / NULLIF(SUM(verdict IN ('pass', 'fail')), 0) AS pass_rate
  FROM runs GROUP BY scenario, variant;

  CREATE VIEW pass_rate_by_scenario AS
  SELECT scenario,
         SUM(runs) AS runs, SUM(passed) AS passed, SUM(failed) AS failed,
         SUM(inconclusive) AS inconclusive, SUM(errors) AS errors,
         CAST(SUM(passed) AS REAL) / NULLIF(SUM(passed) + SUM(failed), 0) AS pass_rate
  FROM pass_rate_by_variant GROUP BY scenario;
  `,
  `
  ALTER TABLE runs ADD COLUMN trial TEXT;
  ALTER TABLE runs ADD COLUMN trial_index INTEGER;
  ALTER TABLE runs ADD COLUMN task TEXT;
  ALTER TABLE runs ADD COLUMN ended TEXT;
  ALTER TABLE runs ADD COLUMN tokens_in INTEGER;
  ALTER TABLE runs ADD COLUMN tokens_out INTEGER;
  ALTER TABLE runs ADD COLUMN versions TEXT;
  ALTER TABLE runs ADD COLUMN measures TEXT;
  ALTER TABLE runs ADD COLUMN regrade_of TEXT;
  ALTER TABLE runs ADD COLUMN review TEXT CHECK (review IN ('pass', 'fail'));
  ALTER TABLE runs ADD COLUMN review_note TEXT;
  ALTER TABLE runs ADD COLUMN reviewed_at TEXT;
  CREATE INDEX runs_by_trial ON runs (trial) WHERE trial IS NOT NULL;

  CREATE TABLE batches (
    id         TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    ended_at   TEXT,
    verdict    TEXT,
    exit_code  INTEGER,
    document   TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE labels (
    run   TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    PRIMARY KEY (run, label)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX labels_by_name ON labels (label);

  CREATE TABLE changes (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    at      TEXT NOT NULL,
    element TEXT NOT NULL,
    kind    TEXT NOT NULL,
    size    REAL,
    hash    TEXT,
    note    TEXT
  ) STRICT;
  CREATE TRIGGER changes_are_kept BEFORE DELETE ON changes
  BEGIN SELECT RAISE(ABORT, 'the table of changes is append-only'); END;
  CREATE TRIGGER changes_stay BEFORE UPDATE ON changes
  BEGIN SELECT RAISE(ABORT, 'the table of changes is append-only'); END;

  DROP VIEW pass_rate_by_scenario;
  DROP VIEW pass_rate_by_variant;
  CREATE VIEW pass_rate_by_variant AS
  SELECT scenario, variant,
         COUNT(*)                                     AS runs,
         SUM(verdict = 'pass')                        AS passed,
         SUM(verdict = 'fail')                        AS failed,
         SUM(verdict = 'inconclusive')                AS inconclusive,
         SUM(verdict = 'error')                       AS errors,
         CAST(SUM(verdict = 'pass') AS REAL)
           / NULLIF(SUM(verdict IN ('pass', 'fail')), 0) AS pass_rate
  FROM runs WHERE regrade_of IS NULL GROUP BY scenario, variant;

  CREATE VIEW pass_rate_by_scenario AS
  SELECT scenario,
         SUM(runs) AS runs, SUM(passed) AS passed, SUM(failed) AS failed,
         SUM(inconclusive) AS inconclusive, SUM(errors) AS errors,
         CAST(SUM(passed) AS REAL) / NULLIF(SUM(passed) + SUM(failed), 0) AS pass_rate
  FROM pass_rate_by_variant GROUP BY scenario;
  `,
];

/** The version this waymark writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
