// Filters of table columns by value: ">0.9", "0.1..0.5", "!=sgd", "adam", joined by "and" or "or".

/** A value of a column; null = the run has none. @typedef {number | string | boolean | null} Value */
/** @typedef {"number" | "text" | "duration" | "time"} ValueKind */
/** @typedef {{keeps: (value: Value) => boolean, error: string}} ValueFilter error: the invalid part, "" = none */
/** @typedef {(value: Value) => boolean} Test */

const COMPARISON = /^(>=|<=|!=|=|>|<|≥|≤|≠)\s*(.*)$/s;
const RANGE = /^(\S*?)\s*\.\.\s*(\S*)$/s;
const UNITS = { s: 1, m: 60, min: 60, h: 3600, d: 86400 };

/** Most values are recorded in single precision: 0.1 must match a stored 0.10000000149.
 * @param {number} a @param {number} b */
const isSame = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));

/** @type {Record<string, (a: number, b: number) => boolean>} */
const ORDERED = {
  ">": (a, b) => a > b && !isSame(a, b),
  "<": (a, b) => a < b && !isSame(a, b),
  ">=": (a, b) => a >= b || isSame(a, b),
  "<=": (a, b) => a <= b || isSame(a, b),
};
const PLAIN = /** @type {Record<string, string>} */ ({ "≥": ">=", "≤": "<=", "≠": "!=" });

/** An invalid filter keeps everything.
 * @param {string} text @param {ValueKind} kind @returns {ValueFilter} */
export function valueFilter(text, kind) {
  if (!text.trim()) return { keeps: () => true, error: "" };
  const alternatives = text
    .split(/\s+or\s+|\s*\|\|?\s*/i)
    .map((all) => all.split(/\s+and\s+|\s*&&?\s*/i).map((part) => testOf(part.trim(), kind) ?? part.trim()));
  const error = alternatives.flat().find((test) => typeof test === "string");
  if (error !== undefined) return { keeps: () => true, error: String(error) || text };
  const tests = /** @type {Test[][]} */ (alternatives);
  return { keeps: (value) => tests.some((all) => all.every((test) => test(value))), error: "" };
}

/** @param {string} part @param {ValueKind} kind @returns {Test | null} null if it is invalid */
function testOf(part, kind) {
  const compared = COMPARISON.exec(part);
  if (compared) return comparison(PLAIN[compared[1]] ?? compared[1], compared[2].trim(), kind);
  const range = RANGE.exec(part);
  if (range && (range[1] || range[2])) return within(range[1], range[2], kind);
  if (!part) return null;
  const number = numberOf(part, kind);
  const needle = part.toLowerCase();
  return (value) =>
    typeof value === "number" && !Number.isNaN(number) ? isSame(value, number) : written(value).includes(needle);
}

/** @param {string} sign @param {string} operand @param {ValueKind} kind @returns {Test | null} */
function comparison(sign, operand, kind) {
  const number = numberOf(operand, kind);
  if (sign === "=" || sign === "!=") {
    const needle = operand.toLowerCase();
    const matchesNaN = needle === "nan";
    const equal = (/** @type {Value} */ value) =>
      typeof value === "number"
        ? matchesNaN
          ? Number.isNaN(value)
          : isSame(value, number)
        : written(value) === needle;
    return sign === "=" ? equal : (value) => !equal(value);
  }
  return Number.isNaN(number) ? null : (value) => typeof value === "number" && ORDERED[sign](value, number);
}

/** Both ends are included; an absent end is open.
 * @param {string} low @param {string} high @param {ValueKind} kind @returns {Test | null} */
function within(low, high, kind) {
  const from = low ? numberOf(low, kind) : -Infinity;
  const to = high ? numberOf(high, kind) : Infinity;
  return Number.isNaN(from + to) && !(from === -Infinity && to === Infinity)
    ? null
    : (value) => typeof value === "number" && ORDERED[">="](value, from) && ORDERED["<="](value, to);
}

/** @param {Value} value */
const written = (value) => (value === null ? "" : String(value).toLowerCase());

/** "1.5k", "3e-4", of durations "2h" and "1h30m", of times "2026-11-21" and "2026-11-21 09:30"; NaN if it is not a
 * number.
 * @param {string} text @param {ValueKind} kind */
function numberOf(text, kind) {
  if (kind === "duration") return durationOf(text);
  if (kind === "time" && /^\d{4}-\d/.test(text))
    return new Date(text.length > 10 ? text.replace(" ", "T") : `${text}T00:00`).getTime() / 1000;
  const infinite = /^([+-−]?)(inf|infinity|∞)$/i.exec(text);
  if (infinite) return infinite[1] === "-" || infinite[1] === "−" ? -Infinity : Infinity;
  const scaled = /^(.*\d\.?)\s*([kMG])$/.exec(text);
  if (scaled) return Number(scaled[1]) * { k: 1e3, M: 1e6, G: 1e9 }[/** @type {"k" | "M" | "G"} */ (scaled[2])];
  return text ? Number(text) : NaN;
}

/** Seconds. @param {string} text */
function durationOf(text) {
  if (text && !Number.isNaN(Number(text))) return Number(text);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*(min|[smhd])\s*/gy)];
  const length = parts.reduce((sum, [part]) => sum + part.length, 0);
  if (!parts.length || length !== text.length) return NaN;
  return parts.reduce(
    (sum, [, number, unit]) => sum + Number(number) * UNITS[/** @type {keyof typeof UNITS} */ (unit)],
    0,
  );
}
