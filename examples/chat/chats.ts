/** The chats of the example app, in the order of its list, and what was said in them. */
export interface Chat {
  readonly id: string;
  readonly title: string;
  readonly messages: readonly string[];
}

export const CHATS: readonly Chat[] = [
  { id: "general", title: "General", messages: ["Good morning", "Standup moved to 10:15", "Cake in the kitchen 🎂"] },
  { id: "design", title: "Design", messages: ["New icons are in", 'Is it "blue" or "teal"?'] },
  {
    id: "support",
    title: "Support",
    messages: ["Ticket 4711 is back", "Naïve fix, but it holds", "Closed", "Thanks!"],
  },
  { id: "release", title: "Release", messages: ["Branch is cut", "Two blockers left"] },
  { id: "random", title: "Random", messages: ["会話を切り替え", "Who took my mug?", "It was Dave"] },
];

/** People whose presence the app shows; each changes once a session, at its own time. */
export const TEAMMATES: readonly string[] = ["ann", "bo", "chi", "dave", "eve", "finn", "gus", "hana", "ivo", "jo"];
