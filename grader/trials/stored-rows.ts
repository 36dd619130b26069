import type { RunDetails, StoredRunDetails } from "../store/store.ts";

const OPTIONAL = [
  "batch",
  "variant",
  "costUsd",
  "selfReport",
  "agrees",
  "folder",
  "trial",
  "trialIndex",
  "task",
  "ended",
  "tokensIn",
  "tokensOut",
  "versions",
  "measures",
  "regradeOf",
] as const satisfies readonly (keyof StoredRunDetails & keyof RunDetails)[];

/** What a stored run was stored with, so that it can be stored again, here or elsewhere, as the same row. */
export function detailsOfRow(row: StoredRunDetails): RunDetails {
  const { number, gradedAt, provenance, steps, artifacts, labels, graderVersion } = row;
  const given = OPTIONAL.flatMap((key) => (row[key] === undefined ? [] : [[key, row[key]]]));
  return { number, gradedAt, provenance, steps, artifacts, labels, graderVersion, ...Object.fromEntries(given) };
}
