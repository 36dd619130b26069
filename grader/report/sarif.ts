import type { Fault, Severity } from "../../proxy/record/fault.ts";

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", hint: "note" };

/**
 * Findings about files as a SARIF 2.1.0 log (OASIS), which code hosts and editors show at the line. Paths are relative
 * URIs with `/`, as the standard asks.
 */
export function sarifLog(faults: readonly Fault[], version: string): object {
  const codes = [...new Set(faults.map(({ code }) => code))];
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "waymark", version, rules: codes.map((id) => ({ id })) } },
        results: faults.map((fault) => resultOf(fault, codes.indexOf(fault.code))),
      },
    ],
  };
}

function resultOf({ code, severity, message, fix, place }: Fault, ruleIndex: number): object {
  const locations = place === undefined ? [] : [locationOf(place)];
  return { ruleId: code, ruleIndex, level: LEVELS[severity], message: { text: `${message}. ${fix}` }, locations };
}

function locationOf({ file, line, column, length }: NonNullable<Fault["place"]>): object {
  const region = {
    startLine: line,
    startColumn: column,
    ...(length === undefined ? {} : { endColumn: column + length }),
  };
  const uri = encodeURI(file.replaceAll("\\", "/"));
  return { physicalLocation: { artifactLocation: { uri }, region } };
}
