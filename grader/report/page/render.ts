import { gzipSync } from "node:zlib";
import { asText, plural } from "../text.ts";
import { cspHash, pageAsset } from "./asset.ts";
import type { PageData } from "./data.ts";
import { escapeHtml, escapeJson } from "./escape.ts";

/** A part of the page that is unpacked only when it is looked at: gzip, or a file as it is. */
export interface Chunk {
  readonly id: string;
  readonly encoding: "gzip" | "none";
  readonly bytes: Uint8Array;
}

/**
 * The whole page as one string: no file beside it is needed but the media that `data` names by `href`. The head, the page's code and its data come first, so that a browser paints before it has read the chunks. Pure.
 */
export function renderPage(data: PageData, chunks: readonly Chunk[] = []): string {
  return [pageHead(data), ...chunks.map(pageChunk), PAGE_TAIL].join("");
}

/** Everything up to the chunks. What comes of data is escaped or base64, so that it can neither end a script nor be one. */
export function pageHead(data: PageData): string {
  const { script, style } = pageAsset();
  const packed = gzipSync(JSON.stringify(data)).toString("base64");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${pagePolicy(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(asText(data.title))} · waymark report</title>
<style>${style}</style>
</head>
<body>
<div id="page">${firstSight(data)}</div>
<script type="application/json" id="waymark-summary">${escapeJson(JSON.stringify(summaryOf(data)))}</script>
<script type="text/plain" id="waymark-data">${packed}</script>
<script>${script}</script>
`;
}

/** One chunk as an element of its own; base64 holds no character that HTML knows. */
export function pageChunk({ id, encoding, bytes }: Chunk): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return `<script type="text/plain" id="${escapeHtml(id)}" data-encoding="${encoding}">${text}</script>\n`;
}

export const PAGE_TAIL = "</body>\n</html>\n";

/** Scripts and styles only by their hashes, nothing from the network but media of the same place; no frames, no forms. */
export function pagePolicy(script: string, style: string): string {
  return [
    "default-src 'none'",
    `script-src ${cspHash(script)}`,
    `style-src ${cspHash(style)}`,
    "img-src 'self' file: blob: data:",
    "media-src 'self' file: blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/**
 * The answer in words, as the page's code will draw it too: painted before any code has run, and all there is for readers
 * without JavaScript and for programs that read the file.
 */
function firstSight({ title, verdict, gate, counts, runs, groups, scenarios }: PageData): string {
  const lines = groups.map(({ scenario, rate_words: words }) => `${scenarios[scenario]?.name ?? ""}: ${words}`);
  const paragraph = (words: string, name: string): string => `<p class="${name}">${escapeHtml(asText(words))}</p>`;
  return `<main>
<section class="answer v-${verdict}">
${paragraph(title, "eyebrow")}
<h1>${counts.pass} of ${plural(runs.length, "run")} passed</h1>
${paragraph(`Verdict: ${verdict}.`, "gate")}
${gate === undefined ? "" : paragraph(gate.words, "gate")}
${lines
  .slice(0, MOST_LINES)
  .map((line) => paragraph(line, "answer-rate"))
  .join("\n")}
</section>
<noscript><p>The rest of this report needs JavaScript.</p></noscript>
</main>`;
}

const MOST_LINES = 50;

/** The verdict in short, as plain JSON, for programs that look into the file. */
function summaryOf({ schema, waymark, made_at, verdict, gate, counts, groups, scenarios }: PageData): object {
  return {
    schema,
    waymark,
    made_at,
    verdict,
    gate,
    counts,
    groups: groups.map(({ scenario, variant, task, rate_words }) => ({
      scenario: scenarios[scenario]?.name,
      variant,
      task,
      words: rate_words,
    })),
  };
}
