import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageData } from "../data.ts";
import { type LiveState, PageContext } from "./context.ts";
import { useRoute } from "./route.ts";
import { servedSource } from "./served-source.ts";
import { Shell } from "./shell.tsx";
import { embeddedSource, type Source } from "./source.ts";

/** The page: waits for its data, and takes newer data when the source has some. */
function App({ source, first }: { readonly source: Source; readonly first: PageData }) {
  const [data, setData] = useState(first);
  const [live, setLive] = useState<LiveState>({ runs: [], at: performance.now(), state: "connected" });
  const route = useRoute();
  useEffect(
    () =>
      source.subscribe?.({
        onData: setData,
        onLive: (runs) => setLive(({ state }) => ({ runs, at: performance.now(), state })),
        onState: (state) => setLive((before) => ({ ...before, state })),
      }),
    [source],
  );
  const told = source.subscribe === undefined ? {} : { live };
  return (
    <PageContext.Provider value={{ data, source, route, ...told }}>
      <Shell />
    </PageContext.Provider>
  );
}

const root = document.getElementById("page");
if (root !== null) {
  const isServed = root.dataset["served"] !== undefined;
  const source = isServed ? servedSource(location.search) : embeddedSource(document);
  source.load().then(
    (data) => {
      root.replaceChildren();
      render(<App source={source} first={data} />, root);
      root.dataset["ready"] = "";
    },
    (cause: unknown) => {
      root.textContent = `This report cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`;
    },
  );
}
