// A page with five chats that tells its telemetry service which one is opened, as a real app would. `broken` opens the
// design chat where the support chat was asked for.
export const TELEMETRY_HOST = "events.chat.example";

export function chatPage(broken) {
  const chats = ["general", "design", "support", "release", "random"];
  const buttons = chats.map((chat) => `<button id="${chat}">${chat}</button>`).join("\n");
  return `<!doctype html><meta charset="utf-8"><title>Chat</title>
${buttons}
<p id="open">nothing open</p>
<script type="module">
  const send = (name, data) => fetch("https://${TELEMETRY_HOST}/OneCollector/1.0/", {
    method: "POST",
    headers: { "Content-Type": "application/x-json-stream", "apikey": "demo" },
    body: JSON.stringify({ ver: "4.0", name, time: new Date().toISOString(), iKey: "o:demo", data }),
  }).catch(() => {});
  for (const button of document.querySelectorAll("button")) {
    button.onclick = () => {
      const chatId = ${JSON.stringify(broken)} && button.id === "support" ? "design" : button.id;
      document.querySelector("#open").textContent = button.id;
      send("chat_switch", { Action: { Gesture: "click" }, chatId });
    };
  }
</script>`;
}
