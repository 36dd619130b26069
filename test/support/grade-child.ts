// A process of its own that grades LOG for one marker, event NAME, and prints verdict, events and its peak memory.
import { gradeLogs } from "../../grader/grade.ts";
import { parseScenario } from "../../grader/scenario/parse-scenario.ts";

const [log = "", name = ""] = process.argv.slice(2);
const yaml = `waymark: 1\nscenario: child\nmarkers: [{ name: it, event: ${JSON.stringify(name)} }]\n`;
const { document } = await gradeLogs({ logs: [log], scenarios: [parseScenario(yaml, "child.yaml")] });
const rssMb = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(JSON.stringify({ verdict: document.verdict, events: document.results[0]?.events, rssMb }));
