import { readFileSync } from "node:fs";

// DuckDB's typed reader, with line numbers: node duckdb-query.js LOG MARKERS MODULE prints {"found": [...]}. The rows that fit
// any marker come back in the order of the lines; the ordered match is then a loop over those few.
interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowsJson(): unknown[][] }>;
}
interface Duckdb {
  readonly DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
}

const [log = "", markersFile = "", module = ""] = process.argv.slice(2);
const markers = JSON.parse(readFileSync(markersFile, "utf8")) as [path: string, value: unknown][][];
const columns = `{name: 'VARCHAR', ext: 'STRUCT(app STRUCT(sesId VARCHAR))', data: 'STRUCT("Action" STRUCT("Gesture" VARCHAR),
  "Target" STRUCT("Kind" VARCHAR), "Result" STRUCT("Ok" BOOLEAN, "Count" BIGINT))'}`;
const literal = (value: unknown): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
const column = (path: string): string =>
  path
    .split(".")
    .map((part) => `"${part}"`)
    .join(".");
const fits = markers.map((tests) => tests.map(([path, value]) => `${column(path)} = ${literal(value)}`).join(" AND "));
const rows = `SELECT row_number() OVER () - 1 AS line, * FROM read_ndjson('${log.replaceAll("'", "''")}',
  columns = ${columns}, ignore_errors = true, maximum_object_size = 268435456)`;
const sql = `SELECT line, ${fits.map((fit, index) => `(${fit}) AS m${index}`).join(", ")} FROM (${rows})
  WHERE ${fits.map((fit) => `(${fit})`).join(" OR ")} ORDER BY line`;

const { DuckDBInstance } = (await import(module)) as Duckdb;
const connection = await (await DuckDBInstance.create()).connect();
const found: number[] = [];
for (const [line, ...fit] of (await connection.runAndReadAll(sql)).getRowsJson()) {
  if (found.length < markers.length && fit[found.length] === true) found.push(Number(line));
}
process.stdout.write(`${JSON.stringify({ found })}\n`);
