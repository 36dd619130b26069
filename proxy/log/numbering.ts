const THOUSAND = 1_000;
/** "000" to "999". */
const LAST_DIGITS: readonly string[] = Array.from({ length: THOUSAND }, (_, last) => String(last).padStart(3, "0"));

/**
 * Gives the decimal digits of whole numbers that follow each other. V8 remembers the text of the last thousands of numbers it
 * was asked for, in a table that lives as long as the process: so many small texts became old objects, a quarter of a megabyte
 * in ten thousand records, and made the memory of a quiet capture rise and fall by 8 MB. Here it is asked once in a thousand.
 */
export function createNumbering(): (number: number) => string {
  let thousands = 0;
  let start = "";
  return (number) => {
    if (number < THOUSAND) return String(number);
    const rest = number % THOUSAND;
    if (number - rest !== thousands) {
      thousands = number - rest;
      start = String(thousands / THOUSAND);
    }
    return start + LAST_DIGITS[rest];
  };
}
