// Numbers as people read them: short SI labels, exact counts, columns with aligned decimals.

/** Smaller numbers, and those from the larger one on, are written with exponents. */
const LEAST_PLAIN = 1e-3;
const LEAST_LARGE = 1e6;
/** Larger integers are not exact. */
const MAX_EXACT = 1e15;
/** A double has no more digits. */
const ALL_DIGITS = 17;

/** Drops the zeros a fixed notation leaves behind: "1.50" is "1.5".
 * @param {string} digits */
const trimZeros = (digits) => (digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits);

/** "3.4e-5" instead of "3.40e-5".
 * @param {number} value @param {number} digits */
function exponent(value, digits) {
  const [mantissa, power] = value.toExponential(digits).split("e");
  return `${trimZeros(mantissa)}e${Number(power)}`;
}

/** Names a non-finite number, or null for a finite one.
 * @param {number} value */
export function nonFinite(value) {
  if (Number.isNaN(value)) return "NaN";
  if (value === Infinity) return "∞";
  return value === -Infinity ? "−∞" : null;
}

/** "1234.5", "0.034", "3.4e-5", "1.2e6": at most `digits` significant digits, but all of the integer part.
 * @param {number} value @param {number} [digits] */
export function shortNumber(value, digits = 4) {
  const named = nonFinite(value);
  if (named) return named;
  const size = Math.abs(value);
  if (size === 0) return "0";
  // As it is written: 0.00099996 is 0.001.
  const isSmall = size < LEAST_PLAIN && Number(size.toPrecision(digits)) < LEAST_PLAIN;
  if (isSmall || size >= LEAST_LARGE) return exponent(value, digits - 1);
  const fixed = value.toPrecision(Math.max(digits, Math.floor(Math.log10(size)) + 1));
  return fixed.includes("e") ? exponent(value, digits - 1) : trimZeros(fixed);
}

/** A number with as many digits as it takes that numbers which differ by the resolution read differently, at least six.
 * @param {number} value @param {number} resolution */
export function fineNumber(value, resolution) {
  const digits = Math.floor(Math.log10(Math.abs(value) || 1)) + 1 + Math.ceil(-Math.log10(resolution));
  return shortNumber(value, Number.isFinite(digits) ? Math.max(6, Math.min(ALL_DIGITS, digits)) : 6);
}

/** "1,000,000"; "≈" before numbers above 2^53, which are not exact in a browser.
 * @param {number} count a whole number */
export const grouped = (count) =>
  (Number.isInteger(count) && !Number.isSafeInteger(count) ? "≈" : "") + String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** How one column of values is written: so many decimals, or with exponents.
 * @typedef {{decimals: number, exponents: boolean}} ColumnFormat */

/** One format for a column of values, so that their points stand under each other.
 * @param {Iterable<number>} values @param {number} [resolution] values that differ by more than this read differently
 * @returns {ColumnFormat} */
export function columnFormat(values, resolution = 0) {
  let largest = 0;
  let smallest = Infinity;
  for (const value of values) {
    const size = Math.abs(value);
    if (!Number.isFinite(size) || size === 0) continue;
    largest = Math.max(largest, size);
    smallest = Math.min(smallest, size);
  }
  if (largest === 0) return { decimals: 1, exponents: false };
  const power = Math.floor(Math.log10(largest));
  const needed = resolution > 0 ? Math.ceil(-Math.log10(resolution)) : -Infinity;
  const isFine = needed > 0 && largest < MAX_EXACT && largest >= LEAST_PLAIN;
  if ((largest >= LEAST_LARGE && !isFine) || largest < LEAST_PLAIN || smallest < LEAST_PLAIN / 100)
    return { decimals: Math.min(ALL_DIGITS - 1, Math.max(3, power + needed)), exponents: true };
  const forSmallest = Math.min(3 - Math.floor(Math.log10(smallest)), 6);
  const decimals = Math.min(7, Math.max(4 - power, forSmallest));
  return { decimals: Math.max(0, Math.min(ALL_DIGITS, Math.max(decimals, needed))), exponents: false };
}

/** @param {number} value @param {ColumnFormat} format */
export function inColumn(value, format) {
  const named = nonFinite(value);
  if (named) return named;
  if (!format.exponents) return value.toFixed(format.decimals);
  return value === 0 ? "0" : value.toExponential(format.decimals).replace("e+", "e");
}

/** A value as it was recorded: whole numbers, which may be names such as seeds, with all digits, others with five.
 * @param {number | string | boolean | null} value */
export const plainText = (value) =>
  typeof value !== "number" || Number.isSafeInteger(value) ? String(value) : shortNumber(value, 5);

/** The letters before the decimal point, or else the exponent. @param {string} text */
export const wholePart = (text) => text.slice(0, text.length - fractionOf(text).length);

/** The letters from the decimal point, or else the exponent, on: "0.25" has three. @param {string} text */
export const fractionOf = (text) => text.slice(/[.e]|$/.exec(text)?.index ?? text.length);

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes with its unit: "812 B", "1.2 MB". @param {number} size */
export function bytes(size) {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(size || 1) / 3)));
  const scaled = size / 1000 ** power;
  return `${power && scaled < 99.95 ? scaled.toFixed(1) : Math.round(scaled)} ${BYTE_UNITS[power]}`;
}
