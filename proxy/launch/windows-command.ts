import { extname } from "node:path";

/**
 * Endings to try for a program's name on Windows, in order: the name as it stands when it has one that PATHEXT lists, then
 * each of PATHEXT.
 */
export function programExtensions(name: string, env: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((ending) => ending !== "");
  const isWhole = listed.some((ending) => ending.toLowerCase() === extname(name).toLowerCase());
  return isWhole ? ["", ...listed] : [...listed, ""];
}

export function isBatchFile(file: string): boolean {
  return /\.(?:cmd|bat)$/i.test(file);
}

/**
 * How to start a batch file, which only cmd.exe can: every argument quoted by the rules of the C runtime, then every
 * character that cmd.exe acts on escaped with `^`, twice, because the batch file hands `%*` through cmd.exe once more (the
 * method of "Everyone quotes command line arguments the wrong way", Microsoft 2011, as cross-spawn applies it).
 */
export function batchFileCommand(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean } {
  const line = [escapeMeta(file), ...args.map((arg) => escapeMeta(escapeMeta(quoteArgument(arg))))].join(" ");
  return { file: env["ComSpec"] ?? env["COMSPEC"] ?? "cmd.exe", args: ["/d", "/s", "/c", `"${line}"`], verbatim: true };
}

/** One argument as the C runtime's parser reads it back. */
export function quoteArgument(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, "$1$1")}"`;
}

function escapeMeta(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, "^$&");
}
