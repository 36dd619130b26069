import { openSeries } from "../../proxy/log/writer.ts";
import { unnumbered } from "./series.ts";

// A process that writes a series until it is killed: `node writer-child.js DIR NAME MAX_FILE_BYTES`. It prints how many
// records it has handed over, now and then, so that its parent knows when to strike.
const [dir = "", name = "", maxFileBytes = ""] = process.argv.slice(2);
const writer = await openSeries({ dir, name, maxFileBytes: Number(maxFileBytes) });
for (let count = 0; ; count++) {
  writer.append(unnumbered(`e${count}`, 100 + (count % 200)));
  if (count % 200 === 0) process.stdout.write(`${count}\n`);
  // large batches are what a kill can tear
  if (count % 5_000 === 0) await writer.flush();
  else if (count % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
}
