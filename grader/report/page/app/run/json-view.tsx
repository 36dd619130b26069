import { prettyJson } from "../../pretty-json.ts";
import { Scroll } from "../scroll.tsx";
import { seenLines } from "../words.ts";

const LONGEST = 200_000;

/** One event's JSON, laid out; it scrolls by keyboard as well. */
export function JsonView({ text, name }: { readonly text: string; readonly name: string }) {
  return (
    <Scroll name={name} kind="json">
      <pre>
        {prettyJson(text.slice(0, LONGEST)).map(({ kind, text: piece }, at) => (
          <span key={at} class={`j-${kind}`}>
            {seenLines(piece)}
          </span>
        ))}
        {text.length > LONGEST ? `\n… ${text.length - LONGEST} more characters` : ""}
      </pre>
    </Scroll>
  );
}
