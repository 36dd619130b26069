import { findLogs } from "../../read/series.ts";
import type { Store } from "../../store/store.ts";
import { placesIn } from "../../trials/folder.ts";
import type { Trial } from "../../trials/trial.ts";
import { pageAsset } from "./asset.ts";
import { mediaType } from "./collect.ts";
import type { PageData } from "./data.ts";
import { historyOf } from "./history.ts";
import type { Attachments } from "./input.ts";
import { pageDataOf } from "./page-data.ts";
import { fileName } from "./page-result.ts";
import { pagePolicy } from "./render.ts";
import { gateOf, numbersOf } from "./report.ts";
import { scenarioTexts } from "./scenario-texts.ts";

/** The page without its data, which it asks the server for. */
export function servedPage(): { readonly html: string; readonly policy: string } {
  const { script, style } = pageAsset();
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>waymark</title>
<style>${style}</style>
</head>
<body>
<div id="page" data-served><noscript><p>This page needs JavaScript.</p></noscript></div>
<script>${script}</script>
</body>
</html>
`;
  return { html, policy: `${pagePolicy(script, style)}; frame-ancestors 'none'` };
}

/** What the served page shows of runs; logs and media are asked for one by one, by addresses of the server. */
export async function servedData(
  trials: readonly Trial[],
  store: Store | undefined,
  madeAt: string,
): Promise<PageData> {
  const [scenarios, found] = await Promise.all([scenarioTexts(trials), Promise.all(trials.map(attachmentsOf))]);
  const gate = store === undefined ? undefined : gateOf(trials, store);
  return pageDataOf({
    trials,
    madeAt,
    ...(trials.length === 0 ? { title: "no run yet" } : {}),
    ...(gate === undefined ? {} : { gate }),
    scenarios,
    attachments: new Map(trials.map(({ manifest }, at) => [manifest.id, found[at] ?? NOTHING])),
    ...(store === undefined ? {} : { history: historyOf(trials, store), numbers: numbersOf(trials, store) }),
  });
}

const NOTHING: Attachments = { files: [], media: [], times: new Map() };

async function attachmentsOf({ manifest, folder, results }: Trial): Promise<Attachments> {
  const { id, artifacts = [] } = manifest;
  if (folder === undefined) return { ...NOTHING, eventsWhy: "only runs with a folder show their events here" };
  const { series } = await findLogs([placesIn(folder).telemetry]);
  const files = series.flatMap(({ segments }) => segments.map(({ file }) => fileName(file)));
  return {
    ...NOTHING,
    files,
    ...(files.length === 0 ? { eventsWhy: "the log of this run is gone" } : { eventsChunk: id }),
    ...(results.length === 0 && files.length === 0 ? {} : { processChunk: id }),
    media: artifacts.flatMap(({ kind, path, at }, position): Attachments["media"] => {
      const type = mediaType(path);
      if ((kind !== "video" && kind !== "screenshot") || type === undefined) return [];
      const href = `/v1/runs/${id}/artifact?n=${position}`;
      return [{ kind, name: fileName(path), type, href, ...(at === undefined ? {} : { at }) }];
    }),
  };
}
