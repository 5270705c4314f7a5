// Colours by value: from the smallest to the largest number, or one for each text. Pure.

import { isLogBetter } from "../series/log_rule.js";
import { naturalKey } from "../text/natural_order.js";
import { COLOURS, NO_VALUE, SHADES } from "./run_styles.js";

/** @typedef {import("../text/value_filter.js").Value} Value */

/** How values become indices of colours. `categories` is empty for numbers.
 * @typedef {object} ColourScale
 * @property {(value: Value) => number} colourOf
 * @property {number} lo @property {number} hi of the finite numbers; NaN without any
 * @property {boolean} isLog
 * @property {readonly string[]} categories the n-th has the n-th colour; after the last one, the first again
 */

/** @param {readonly Value[]} values of all runs, null = none @returns {ColourScale} */
export function colourScale(values) {
  const present = values.filter((value) => value !== null && value !== "");
  return present.every((value) => typeof value === "number") ? shades(present) : categories(present);
}

/** @param {number[]} numbers @returns {ColourScale} */
function shades(numbers) {
  const finite = numbers.filter(Number.isFinite);
  if (!finite.length) return { colourOf: () => NO_VALUE, lo: NaN, hi: NaN, isLog: false, categories: [] };
  const lo = finite.reduce((a, b) => Math.min(a, b));
  const hi = finite.reduce((a, b) => Math.max(a, b));
  const isLog = isLogBetter(lo, hi, () => finite.reduce((sum, value) => sum + value / finite.length, 0));
  const place = (/** @type {number} */ value) =>
    lo === hi ? 0.5 : isLog ? Math.log(value / lo) / Math.log(hi / lo) : (value / 2 - lo / 2) / (hi / 2 - lo / 2);
  return {
    colourOf: (value) =>
      typeof value === "number" && Number.isFinite(value)
        ? COLOURS + Math.max(0, Math.min(SHADES - 1, Math.floor(place(value) * SHADES)))
        : NO_VALUE,
    lo,
    hi,
    isLog,
    categories: [],
  };
}

/** @param {readonly Value[]} values that runs have @returns {ColourScale} */
function categories(values) {
  const names = [...new Set(values.map(String))].sort((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1));
  const order = new Map(names.map((name, at) => [name, at % COLOURS]));
  return {
    colourOf: (value) => (value === null ? NO_VALUE : (order.get(String(value)) ?? NO_VALUE)),
    lo: NaN,
    hi: NaN,
    isLog: false,
    categories: names,
  };
}
