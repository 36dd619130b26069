/** Programs of the Chromium family, by the name of their file. */
const BROWSERS =
  /^(?:chromium(?:-browser)?|chrome|google[ -]chrome(?:[ -](?:stable|beta|unstable|canary|for testing))?|(?:chrome-)?headless[_-]shell|msedge|microsoft[ -]edge(?:-(?:stable|beta|dev))?|brave(?:[ -]browser)?|vivaldi(?:-stable)?|opera)(?:\.exe)?$/i;

/** True when a program is a browser of the Chromium family, as far as its name tells. */
export function isBrowserProgram(file: string): boolean {
  return BROWSERS.test(file.split(/[\\/]/).at(-1) ?? "");
}

/** True when a program is Electron itself, as its npm package installs it. */
export function isElectronProgram(file: string): boolean {
  return /^electron(?:\.exe|\.cmd)?$/i.test(file.split(/[\\/]/).at(-1) ?? "");
}

/**
 * Arguments with the wanted switches before them; one that is given already keeps its value, and a debugging port is not
 * asked for beside a debugging pipe.
 */
export function addSwitches(args: readonly string[], wanted: readonly string[]): string[] {
  const given = new Set(args.map(nameOf));
  const isPiped = given.has("--remote-debugging-pipe");
  const missing = wanted.filter((item) => {
    const name = nameOf(item);
    return !given.has(name) && !(isPiped && name === "--remote-debugging-port");
  });
  return [...missing, ...args];
}

function nameOf(argument: string): string {
  return argument.split("=", 1)[0] ?? "";
}
