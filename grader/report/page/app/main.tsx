import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageData } from "../data.ts";
import { PageContext } from "./context.ts";
import { useRoute } from "./route.ts";
import { Shell } from "./shell.tsx";
import { embeddedSource, type Source } from "./source.ts";

/** The page: waits for its data, and takes newer data when the source has some. */
function App({ source, first }: { readonly source: Source; readonly first: PageData }) {
  const [data, setData] = useState(first);
  const route = useRoute();
  useEffect(() => source.subscribe?.(setData), [source]);
  return (
    <PageContext.Provider value={{ data, source, route }}>
      <Shell />
    </PageContext.Provider>
  );
}

const root = document.getElementById("page");
if (root !== null) {
  const source = embeddedSource(document);
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
