import type { LiveRun } from "../../../watch/live-run.ts";
import type { PageData } from "../data.ts";
import { type LogLine, readLogLines } from "../log-lines.ts";
import type { ProcessOutput, Source } from "./source.ts";

/** The data of the server that the page came from, which tells when there is more. */
export function servedSource(search: string): Source {
  const runs = new URLSearchParams(search).get("runs");
  const query = runs === null ? "" : `?${new URLSearchParams({ runs })}`;
  const load = async (): Promise<PageData> => (await answered(`/v1/page${query}`)).json() as Promise<PageData>;
  const lines = new Map<string, Promise<readonly LogLine[]>>();
  return {
    load,
    subscribe: (hearer) => {
      const events = new EventSource("/v1/page/stream");
      let asked = 0;
      // Answers may overtake each other: only the one asked for last counts.
      const refresh = async (): Promise<void> => {
        asked += 1;
        const own = asked;
        const data = await load().catch(() => undefined); // the server went away; the stream tells when it is back
        if (own === asked && data !== undefined) hearer.onData(data);
      };
      events.addEventListener("page", () => void refresh());
      events.addEventListener("open", () => {
        hearer.onState("connected");
        void refresh();
      });
      events.addEventListener("error", () => hearer.onState("lost"));
      events.addEventListener("live", (event) => {
        hearer.onLive((JSON.parse(event.data as string) as { readonly runs: readonly LiveRun[] }).runs);
      });
      return () => events.close();
    },
    linesOf: (run) => {
      const known = lines.get(run.id);
      if (known !== undefined) return known;
      if (lines.size > 1) lines.clear();
      const found =
        run.events_chunk === undefined
          ? Promise.resolve([])
          : answered(`/v1/runs/${run.id}/log`)
              .then((answer) => answer.text())
              .then((text) => readLogLines(text, run.zero));
      lines.set(run.id, found);
      return found;
    },
    outputOf: async ({ id, process_chunk: chunk }) =>
      chunk === undefined ? {} : ((await answered(`/v1/runs/${id}/output`)).json() as Promise<ProcessOutput>),
    addressOf: async ({ href }) => href ?? "",
  };
}

async function answered(address: string): Promise<Response> {
  const answer = await fetch(address, { credentials: "same-origin" });
  if (answer.ok) return answer;
  if (answer.status === 401) throw new Error("this server asks for its token: open it as /?token=…");
  throw new Error(`the server answered ${answer.status}`);
}
