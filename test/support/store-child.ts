// A process of its own that stores results: `store-child FILE NAME COUNT` stores COUNT results (0: until it is killed)
// and prints the id of each once it is stored; `store-child FILE hold MS` holds the write lock for so long;
// `store-child FILE list` opens the database read-only and prints the ids.
import Database from "better-sqlite3";
import { openStore } from "../../grader/store/store.ts";
import { sampleResult } from "./result.ts";

const [file = "", name = "", count = "0"] = process.argv.slice(2);

if (name === "hold") holdLock(Number(count));
else if (name === "list") list();
else store(Number(count) || Number.POSITIVE_INFINITY);

function store(results: number): void {
  const database = openStore(file);
  for (let index = 0; index < results; index++) {
    const id = `${name}${String(index).padStart(6, "0")}`;
    database.saveResult(sampleResult(id), { gradedAt: new Date(0).toISOString() });
    process.stdout.write(`${id}\n`);
  }
  database.close();
}

function holdLock(ms: number): void {
  const db = new Database(file);
  db.exec("BEGIN IMMEDIATE");
  process.stdout.write("held\n");
  setTimeout(() => {
    db.exec("COMMIT");
    db.close();
  }, ms);
}

function list(): void {
  const database = openStore(file, { readonly: true });
  for (const { id } of database.listRuns()) process.stdout.write(`${id}\n`);
  database.close();
}
