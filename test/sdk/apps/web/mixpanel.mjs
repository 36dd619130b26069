import mixpanel from "mixpanel-browser";
import { EVENTS } from "../story.mjs";

globalThis.tell = async () => {
  mixpanel.init("0123456789abcdef0123456789abcdef", { ignore_dnt: true });
  const answers = [];
  for (const { name, data } of EVENTS) {
    answers.push(await new Promise((resolve) => mixpanel.track(name, data, { send_immediately: true }, resolve)));
  }
  return answers.every((answer) => answer === 1 || answer?.status === 1) && `callbacks with ${JSON.stringify(answers)}`;
};
