// Numbers as people read them: short SI labels, exact counts, columns with aligned decimals.

const SUFFIXES = [
  { from: 1e12, suffix: "T" },
  { from: 1e9, suffix: "G" },
  { from: 1e6, suffix: "M" },
  { from: 1e3, suffix: "k" },
];

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

/** "1.2k", "0.034", "3.4e-5": at most `digits` significant digits.
 * @param {number} value @param {number} [digits] */
export function shortNumber(value, digits = 3) {
  const named = nonFinite(value);
  if (named) return named;
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e15) return exponent(value, digits - 1);
  const unit = SUFFIXES.find(({ from }) => size >= from);
  if (unit) return trimZeros((value / unit.from).toPrecision(Math.max(digits, 3))) + unit.suffix;
  return trimZeros(value.toPrecision(digits));
}

/** Labels of one axis, with enough digits to be distinct.
 * @param {number[]} ticks */
export function axisLabels(ticks) {
  for (let digits = 3; digits < 8; digits++) {
    const labels = ticks.map((tick) => shortNumber(tick, digits));
    if (new Set(labels).size === new Set(ticks).size) return labels;
  }
  return ticks.map((tick) => shortNumber(tick, 9));
}

/** "1,000,000".
 * @param {number} count a whole number */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** How one column of values is written: so many decimals, or with exponents.
 * @typedef {{decimals: number, exponents: boolean}} ColumnFormat */

/** One format for a column of values, so that their points stand under each other.
 * @param {Iterable<number>} values @returns {ColumnFormat} */
export function columnFormat(values) {
  let largest = 0;
  let smallest = Infinity;
  for (const value of values) {
    const size = Math.abs(value);
    if (!Number.isFinite(size) || size === 0) continue;
    largest = Math.max(largest, size);
    smallest = Math.min(smallest, size);
  }
  if (largest === 0) return { decimals: 1, exponents: false };
  if (largest >= 1e7 || largest < 1e-3) return { decimals: 3, exponents: true };
  const forLargest = 4 - Math.floor(Math.log10(largest));
  const forSmallest = 3 - Math.floor(Math.log10(smallest));
  return { decimals: Math.max(0, Math.min(7, Math.max(forLargest, Math.min(forSmallest, 6)))), exponents: false };
}

/** @param {number} value @param {ColumnFormat} format */
export function inColumn(value, format) {
  const named = nonFinite(value);
  if (named) return named;
  return format.exponents && value !== 0 ? value.toExponential(format.decimals) : value.toFixed(format.decimals);
}

/** A value as it was recorded, shortened beyond six digits.
 * @param {number | string | boolean} value */
export const plainText = (value) =>
  typeof value === "number" && Number.isFinite(value) ? String(Number(value.toPrecision(6))) : String(value);

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"];

/** A number of bytes with its unit: "812 B", "1.2 MB". @param {number} size */
export function bytes(size) {
  const power = Math.min(BYTE_UNITS.length - 1, Math.max(0, Math.floor(Math.log10(size || 1) / 3)));
  const scaled = size / 1000 ** power;
  return `${power && scaled < 99.95 ? scaled.toFixed(1) : Math.round(scaled)} ${BYTE_UNITS[power]}`;
}
