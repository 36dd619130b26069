import { init, track } from "@plausible-analytics/tracker";
import { EVENTS, texts } from "../story.mjs";

globalThis.tell = async () => {
  // The tracker takes no events from browsers that a program drives, unless told so.
  window.__plausible = true;
  init({ domain: "chat.acme.example", captureOnLocalhost: true, autoCapturePageviews: false });
  const results = [];
  for (const { name, data } of EVENTS) {
    results.push(await new Promise((resolve) => track(name, { props: texts(data), callback: resolve })));
  }
  return results.every((result) => result?.status === 202) && `callbacks with ${results.map((r) => r?.status)}`;
};
