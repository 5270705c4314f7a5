// The columns of the lineage page: of each name what every run says, as numbers or as categories.

import { compareNatural } from "../../../data/natural_order.js";

/** What columns tell of, in the order in which they stand. */
export const SECTIONS = /** @type {const} */ (["param", "metric", "last", "train", "valid", "model", "custom", "data"]);
/** @typedef {(typeof SECTIONS)[number]} Section */

/** What one run says, by section and name. @typedef {{run: string} & Partial<Record<Section, Readonly<Record<string, unknown>>>>} Source */

/** @typedef {number | string | null} Value null = the run does not say */

/** @typedef {object} Column
 * @property {string} id section and name: "param:learning_rate"
 * @property {Section} section
 * @property {string} name
 * @property {boolean} isNumber
 * @property {Value[]} values one a run
 * @property {string[]} categories of a column of texts: all there are, in natural order
 * @property {number} lo the smallest finite number; NaN without any
 * @property {number} hi
 * @property {number} having runs that say something
 * @property {number} distinct values
 * @property {boolean} hasMissing
 * @property {boolean} hasNonFinite
 */

const NON_FINITE = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/** All columns by id: by section, each in natural order of the names; pipelines from the source on.
 * @param {readonly Source[]} sources @returns {Map<string, Column>} */
export function columnsOf(sources) {
  /** @type {Map<string, Column>} */
  const columns = new Map();
  for (const section of SECTIONS) {
    /** @type {Map<string, unknown[]>} */
    const told = new Map();
    sources.forEach((source, row) => {
      const names = source[section];
      for (const name in names) {
        let values = told.get(name);
        if (!values) told.set(name, (values = new Array(sources.length).fill(null)));
        values[row] = names[name];
      }
    });
    const names = section === "data" ? [...told.keys()] : [...told.keys()].sort(compareNatural);
    for (const name of names)
      columns.set(`${section}:${name}`, columnOf(section, name, /** @type {unknown[]} */ (told.get(name))));
  }
  return columns;
}

/** @param {Section} section @param {string} name @param {unknown[]} told @returns {Column} */
export function columnOf(section, name, told) {
  const isNumber = areNumbers(told);
  const values = told.map(isNumber ? numberOf : textOf);
  const said = new Set(values);
  const hasMissing = said.delete(null);
  let [lo, hi, having] = [Infinity, -Infinity, 0];
  for (const value of values) {
    if (value !== null) having++;
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    if (value < lo) lo = value;
    if (value > hi) hi = value;
  }
  const hasNonFinite = isNumber && [...said].some((value) => !Number.isFinite(value));
  const categories = isNumber ? [] : /** @type {string[]} */ ([...said]).sort(compareNatural);
  return {
    id: `${section}:${name}`,
    section,
    name,
    isNumber,
    values,
    categories,
    lo: lo > hi ? NaN : lo,
    hi: lo > hi ? NaN : hi,
    having,
    distinct: said.size,
    hasMissing,
    hasNonFinite,
  };
}

/** Is there nothing but numbers and what JSON lacks of them? Texts "NaN" alone are numbers too. @param {unknown[]} told */
function areNumbers(told) {
  let some = false;
  for (const value of told) {
    if (value === null) continue;
    if (typeof value !== "number" && !(typeof value === "string" && NON_FINITE.has(value))) return false;
    some = true;
  }
  return some;
}

/** @param {unknown} value @returns {Value} */
const numberOf = (value) =>
  typeof value === "string" ? /** @type {number} */ (NON_FINITE.get(value)) : /** @type {number | null} */ (value);

/** Lists and objects are their JSON. @param {unknown} value @returns {Value} */
const textOf = (value) => (value === null ? null : typeof value === "object" ? JSON.stringify(value) : String(value));

/** The linear correlation of two columns over some runs, and of how many both are finite numbers; NaN where it has no meaning.
 * @param {Column} one @param {Column} other @param {Iterable<number>} rows */
export function correlation(one, other, rows) {
  let [count, sumX, sumY, sumXX, sumYY, sumXY] = [0, 0, 0, 0, 0, 0];
  const [x0, y0] = [middle(one), middle(other)];
  for (const row of rows) {
    const [x, y] = [Number(one.values[row] ?? NaN) - x0, Number(other.values[row] ?? NaN) - y0];
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

/** Sums of what is far from zero would lose their digits. @param {Column} column */
const middle = ({ lo, hi }) => (Number.isFinite(lo) ? lo / 2 + hi / 2 : 0);
