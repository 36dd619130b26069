import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import test from "node:test";
import { PROJECT } from "../support/project.ts";
import { ROOMS, type Room } from "./import-table.ts";

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b(?:[^"'`;]*?\bfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)/g;

function sourceFiles(): string[] {
  return ["proxy", "certs", "grader", "client", "playwright", "cli", "examples"]
    .flatMap((top) =>
      readdirSync(join(PROJECT, top), { recursive: true, encoding: "utf8" }).map((file) => join(top, file)),
    )
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => file.replaceAll("\\", "/"));
}

function roomOf(file: string): Room | undefined {
  return ROOMS.filter(({ room }) => file === room || file.startsWith(`${room}/`)).sort(
    (a, b) => b.room.length - a.room.length,
  )[0];
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(PROJECT, file), "utf8");
  return [...text.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? "");
}

function complaint(file: string, room: Room, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    const allowed = room.builtins === undefined || room.builtins.includes(specifier);
    return allowed ? undefined : `${file} imports ${specifier}; the room ${room.room} is pure`;
  }
  if (!specifier.startsWith(".")) return packageComplaint(file, room, specifier);
  const target = relative(PROJECT, join(PROJECT, dirname(file), specifier)).replaceAll("\\", "/");
  const targetRoom = roomOf(target);
  if (targetRoom === undefined) return `${file} imports ${target}, which is in no room`;
  const allowed = targetRoom === room || room.mayImport.includes(targetRoom.room);
  return allowed ? undefined : `${file} imports ${target}; ${room.room} may not import ${targetRoom.room}`;
}

function packageComplaint(file: string, room: Room, specifier: string): string | undefined {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  if (room.packages?.includes(name) === true || room.borrows?.includes(name) === true) return undefined;
  const owner = ROOMS.find(({ packages }) => packages?.includes(name) === true);
  return `${file} imports the package ${name}, which belongs to ${owner?.room ?? "no room"}`;
}

test("every source file is in a room of the import table", () => {
  assert.deepEqual(
    sourceFiles().filter((file) => roomOf(file) === undefined),
    [],
  );
});

test("imports go only where the table allows", () => {
  const complaints = sourceFiles().flatMap((file) => {
    const room = roomOf(file);
    return room === undefined ? [] : importsOf(file).map((specifier) => complaint(file, room, specifier));
  });
  assert.deepEqual(
    complaints.filter((text) => text !== undefined),
    [],
  );
});

test("the check itself sees a forbidden import", () => {
  const grader = ROOMS.find(({ room }) => room === "grader/match");
  assert.ok(grader);
  assert.match(complaint("grader/match/x.ts", grader, "../../proxy/log/writer.ts") ?? "", /may not import proxy\/log/);
  assert.match(complaint("grader/match/x.ts", grader, "node:fs") ?? "", /is pure/);
  assert.match(complaint("grader/match/x.ts", grader, "better-sqlite3") ?? "", /belongs to grader\/store/);
});
