import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { BatchDocument } from "../../trials/batch.ts";
import type { Trial, TrialManifest } from "../../trials/trial.ts";
import type { ResultDocument, ScenarioResult } from "../../verdict.ts";
import type { Write } from "../reporter.ts";
import { PAGE_TAIL, pageChunk, pageHead } from "./render.ts";
import { prepareReport } from "./report.ts";
import { copyBeside } from "./write.ts";

const EMBED_LIMIT = 20_000_000;

/** Writes the page of a document that a verb has just made; heavy media are copied beside `file`, where there is one. */
export async function writeDocument(
  document: ResultDocument | BatchDocument,
  write: Write,
  file: string | undefined,
): Promise<void> {
  const isBatch = document.schema === "waymark.batch/1";
  const trials = isBatch ? trialsOfBatch(document) : document.results.map(trialOfResult);
  const { data, collected } = await prepareReport(trials, {
    file: file ?? "report.html",
    embedLimit: file === undefined ? Number.POSITIVE_INFINITY : EMBED_LIMIT,
    madeAt: new Date().toISOString(),
    ...(isBatch ? { gate: document.gate.rule } : {}),
  });
  write(pageHead(data));
  for (const chunk of collected.chunks) write(pageChunk(chunk));
  for (const { id, file: from } of collected.embedded) {
    write(pageChunk({ id, encoding: "none", bytes: await readFile(from) }));
  }
  write(PAGE_TAIL);
  if (file !== undefined) for (const one of collected.beside) copyBeside(dirname(file), one);
}

function trialsOfBatch({ trials, runs, results }: BatchDocument): readonly Trial[] {
  return trials.map((manifest) => {
    const own = new Set(runs.filter(({ trial }) => trial === manifest.id).map(({ run }) => run));
    const graded = results.filter(({ run }) => own.has(run));
    const folder = graded.map(({ log }) => dirname(log)).find((path) => path.endsWith(manifest.id));
    return { manifest, results: graded, ...(folder === undefined ? {} : { folder }) };
  });
}

/** A log that was graded alone, as a run that nobody launched. */
function trialOfResult(result: ScenarioResult, at: number): Trial {
  const manifest: TrialManifest = {
    schema: "waymark.trial/1",
    id: result.run,
    state: "graded",
    index: at + 1,
    retries: 0,
    command: [],
    started_at: result.started_at ?? "",
    provenance: "live",
    versions: {},
    labels: [],
  };
  return { manifest, results: [result] };
}
