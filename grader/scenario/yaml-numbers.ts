export interface NumberTrap {
  readonly message: string;
  readonly details: { readonly fix: string; readonly severity?: "hint"; readonly replacement?: string };
}

/**
 * What is wrong with an unquoted number: digits that a double loses, or a spelling that reads as a number which is
 * written differently (1.10, 007, 0x1F, 1e3, +5). `key` names the field the number is compared with; without it, zeros
 * behind the point are no trap.
 */
export function numberTrap(source: string, key: string | undefined): NumberTrap | undefined {
  const value = Number(source);
  if (/^[-+]?\d+$/.test(source) && !Number.isSafeInteger(value)) return lostDigits(source, key ?? "");
  if (String(value) === source) return undefined;
  if (/^-?(0|[1-9]\d*)\.\d*$/.test(source) && String(value) === source.replace(/\.?0+$/, "")) {
    if (key === undefined) return undefined;
    if (/\.0$/.test(source) && Number.isInteger(value)) return wholeNumber(source, value);
  }
  const read = Number.isFinite(value) ? String(value) : undefined;
  return {
    message: `${source} is read as the number ${read ?? "it spells"}, not as the text "${source}"`,
    details: {
      fix: read === undefined ? `Quote it: "${source}".` : `Quote it: "${source}", or write ${read}.`,
      replacement: `"${source}"`,
    },
  };
}

function lostDigits(source: string, key: string): NumberTrap {
  const digits = source.replace(/^\+/, "");
  const field = key.includes("|") || key === "" ? "field" : key;
  return {
    message: `${source} has more digits than a number in YAML keeps (it would be read as ${Number(source)})`,
    details: {
      fix: `Quote it. When the events have it as text: ${field}: "${digits}"; as a number: ${field}|str: "${digits}", which compares all digits.`,
    },
  };
}

function wholeNumber(source: string, value: number): NumberTrap {
  return {
    message: `${source} is read as the number ${value}`,
    details: { severity: "hint", fix: `Quote it when the text "${source}" is meant.` },
  };
}
