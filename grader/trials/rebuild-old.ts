import { statSync } from "node:fs";
import { WaymarkError } from "../../proxy/record/fault.ts";
import { type Batch, type Change, openStore, type RunDetails, type Store } from "../store/store.ts";
import type { ScenarioResult } from "../verdict.ts";
import { detailsOfRow } from "./stored-rows.ts";
import type { TrialManifest } from "./trial.ts";

/** What a database that is to be made anew knows. */
export interface Old {
  readonly state: "absent" | "unreadable" | "read";
  readonly rows: readonly {
    readonly result: ScenarioResult;
    readonly details: RunDetails;
    readonly review: TrialManifest["review"];
  }[];
  /** Numbers behind `#`, and folders as they were stored, by the id of the result. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly folders: ReadonlyMap<string, string>;
  readonly batches: readonly Batch[];
  readonly changes: readonly (Change & { readonly seq: number })[];
}

const NOTHING = { rows: [], numbers: new Map(), folders: new Map(), batches: [], changes: [] } as const;

/**
 * Reads everything out of a database; `unreadable` when it is damaged. Opened for writing, so that nothing is left
 * waiting in its write-ahead log. Throws `WM_STORE_NEWER`, `WM_STORE_BUSY` and `WM_STORE_UNREADABLE`: such a one must
 * not be replaced.
 */
export function readOld(file: string): Old {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return { ...NOTHING, state: "absent" };
  try {
    const store = openStore(file);
    try {
      return readAll(store);
    } finally {
      store.close();
    }
  } catch (cause) {
    if (cause instanceof WaymarkError && cause.code === "WM_STORE_DAMAGED") return { ...NOTHING, state: "unreadable" };
    throw cause;
  }
}

function readAll(store: Store): Old {
  const rows = store.listRuns({ withRegrades: true }).map(({ id }) => {
    const row = store.getRun(id);
    return { result: row.result, details: detailsOfRow(row), review: row.review };
  });
  return {
    state: "read",
    rows,
    numbers: new Map(rows.flatMap(({ result, details }) => numbered(result.run, details.number))),
    folders: new Map(rows.flatMap(({ result, details }) => numbered(result.run, details.folder))),
    batches: store.listBatches(),
    changes: store.listChanges(),
  };
}

function numbered<T>(key: string, value: T | undefined): readonly (readonly [string, T])[] {
  return value === undefined ? [] : [[key, value]];
}
