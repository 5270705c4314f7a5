// The columns of the lineage page: the values of all runs by name, as numbers or as categories.

import { compareNatural, compareValues } from "../../data/text/natural_order.js";

/** Sections of columns, in display order. */
const SECTIONS = /** @type {const} */ (["param", "metric", "last", "train", "valid", "model", "custom", "data"]);
/** @typedef {(typeof SECTIONS)[number]} Section */

/**
 * The values of one run by section and name.
 * @typedef {{run: string} & Partial<Record<Section, Readonly<Record<string, unknown>>>>} Source
 */

/** @typedef {number | string | null} Value null = not recorded */

/** @typedef {object} Column
 * @property {string} id section and name: "param:learning_rate"
 * @property {Section} section
 * @property {string} name
 * @property {boolean} isNumber
 * @property {Value[]} values one for each run
 * @property {string[]} categories the distinct texts, numbers among them first; empty for numbers alone
 * @property {number} lo the smallest finite number; NaN if there is none
 * @property {number} hi
 * @property {number} recordedRuns the number of runs with a value
 * @property {number} distinct the number of distinct values
 * @property {boolean} hasMissing
 * @property {boolean} hasNonFinite
 */

const NON_FINITE = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** All columns by id, ordered by section and then compareNatural by name; pipeline columns in the order of the stages.
 * @param {readonly Source[]} sources @returns {Map<string, Column>} */
export function columnsOf(sources) {
  /** @type {Map<string, Column>} */
  const columns = new Map();
  for (const section of SECTIONS) {
    /** @type {Map<string, unknown[]>} */
    const recorded = new Map();
    sources.forEach((source, row) => {
      const names = source[section];
      for (const name in names) {
        let values = recorded.get(name);
        if (!values) recorded.set(name, (values = new Array(sources.length).fill(null)));
        values[row] = names[name];
      }
    });
    const names = section === "data" ? [...recorded.keys()] : [...recorded.keys()].sort(compareNatural);
    for (const name of names)
      columns.set(`${section}:${name}`, columnOf(section, name, /** @type {unknown[]} */ (recorded.get(name))));
  }
  return columns;
}

/** @param {Section} section @param {string} name @param {unknown[]} recorded @returns {Column} */
export function columnOf(section, name, recorded) {
  const isNumber = areNumbers(recorded);
  const values = recorded.map(isNumber ? numberOf : textOf);
  const distinctValues = new Set(values);
  const hasMissing = distinctValues.delete(null);
  let [lo, hi, recordedRuns] = [Infinity, -Infinity, 0];
  for (const value of values) {
    if (value !== null) recordedRuns++;
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  const hasNonFinite = isNumber && [...distinctValues].some((value) => !Number.isFinite(value));
  const categories = isNumber ? [] : /** @type {string[]} */ ([...distinctValues]).sort(compareValues);
  return {
    id: `${section}:${name}`,
    section,
    name,
    isNumber,
    values,
    categories,
    lo: lo > hi ? NaN : lo,
    hi: lo > hi ? NaN : hi,
    recordedRuns,
    distinct: distinctValues.size,
    hasMissing,
    hasNonFinite,
  };
}

/**
 * Whether all values are numbers, including non-finite ones, which JSON contains as text.
 * @param {unknown[]} recorded
 */
function areNumbers(recorded) {
  let hasNumber = false;
  for (const value of recorded) {
    if (value === null) continue;
    if (typeof value !== "number" && !(typeof value === "string" && NON_FINITE.has(value))) return false;
    hasNumber = true;
  }
  return hasNumber;
}

/** @param {unknown} value @returns {Value} */
const numberOf = (value) =>
  typeof value === "string" ? /** @type {number} */ (NON_FINITE.get(value)) : /** @type {number | null} */ (value);

/** Lists and objects are converted to JSON. @param {unknown} value @returns {Value} */
const textOf = (value) => (value === null ? null : typeof value === "object" ? JSON.stringify(value) : String(value));

/**
 * Pearson's correlation of two columns over some runs (NaN if it is undefined), and the number of runs with finite
 * values of both.
 * @param {Column} a @param {Column} b @param {Iterable<number>} rows */
export function correlation(a, b, rows) {
  let [count, sumX, sumY, sumXX, sumYY, sumXY] = [0, 0, 0, 0, 0, 0];
  const [x0, y0] = [midpoint(a), midpoint(b)];
  for (const row of rows) {
    const [x, y] = [Number(a.values[row] ?? NaN) - x0, Number(b.values[row] ?? NaN) - y0];
    if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
    count++;
    sumX += x;
    sumY += y;
    sumXX += x * x;
    sumYY += y * y;
    sumXY += x * y;
  }
  const spread = Math.sqrt((count * sumXX - sumX * sumX) * (count * sumYY - sumY * sumY));
  return {
    count,
    r: count > 1 && spread > 0 ? Math.max(-1, Math.min(1, (count * sumXY - sumX * sumY) / spread)) : NaN,
  };
}

/** Values are centred before they are summed, to keep precision if they are far from zero. @param {Column} column */
const midpoint = ({ lo, hi }) => (Number.isFinite(lo) ? lo / 2 + hi / 2 : 0);
