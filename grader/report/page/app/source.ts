import type { LiveRun } from "../../../watch/live-run.ts";
import type { PageData, PageMedia, PageRun } from "../data.ts";
import { type LogLine, readLogLines } from "../log-lines.ts";

/** What a process wrote, and what the agent left as its report. */
export interface ProcessOutput {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly self_report?: string;
}

/** What is told while the page is open. */
export interface Hearer {
  onData(data: PageData): void;
  onLive(runs: readonly LiveRun[]): void;
  onState(state: "connected" | "lost"): void;
}

/** Where the page gets what it shows: from within its own file, or from a server that keeps sending. */
export interface Source {
  load(): Promise<PageData>;
  /** Tells of newer data and of runs under way as they come; answers how to stop. A file never has any. */
  subscribe?(hearer: Hearer): () => void;
  /** All lines of a run's log that the page has, in order. */
  linesOf(run: PageRun): Promise<readonly LogLine[]>;
  outputOf(run: PageRun): Promise<ProcessOutput>;
  /** An address that an element can show. */
  addressOf(media: PageMedia): Promise<string>;
}

/** The data that stands in the page's own file, unpacked when it is asked for. */
export function embeddedSource(root: Document): Source {
  const lines = new Map<string, Promise<readonly LogLine[]>>();
  return {
    load: async () => JSON.parse(await textOf(await elementNamed(root, "waymark-data"), "gzip")) as PageData,
    linesOf: async (run) => {
      const { events_chunk: id } = run;
      if (id === undefined) return [];
      const known = lines.get(id);
      if (known !== undefined) return known;
      // A log or two are kept, the others are unpacked again when somebody comes back to them.
      if (lines.size > 1) lines.clear();
      const found = chunkText(root, id).then((text) => readLogLines(text, run.zero));
      lines.set(id, found);
      return found;
    },
    outputOf: async ({ process_chunk: id }) =>
      id === undefined ? {} : (JSON.parse(await chunkText(root, id)) as ProcessOutput),
    addressOf: async ({ chunk, href, type }) => {
      if (chunk === undefined) return href ?? "";
      const bytes = bytesOf(await elementNamed(root, chunk));
      return URL.createObjectURL(new Blob([bytes], { type }));
    },
  };
}

async function chunkText(root: Document, id: string): Promise<string> {
  const element = await elementNamed(root, id);
  return textOf(element, element.dataset["encoding"] ?? "gzip");
}

/** The page's code runs before all of its file has been read; what is not there yet is waited for. */
async function elementNamed(root: Document, id: string): Promise<HTMLElement> {
  if (root.getElementById(id)?.nextSibling == null && root.readyState === "loading") {
    await new Promise((done) => root.addEventListener("DOMContentLoaded", done, { once: true }));
  }
  const element = root.getElementById(id);
  if (element === null) throw new Error(`this page has no part "${id}"; the file may have been cut`);
  return element;
}

function bytesOf(element: HTMLElement): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(element.textContent ?? ""), (character) => character.charCodeAt(0));
}

async function textOf(element: HTMLElement, encoding: string): Promise<string> {
  const blob = new Blob([bytesOf(element)]);
  if (encoding === "none") return blob.text();
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
