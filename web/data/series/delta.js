// Differences of values to those of the baseline.

/** @typedef {import("../text/value_filter.js").Value} Value */

/** @param {Value | undefined} value @param {Value | undefined} base @returns {number | null} null unless both are finite */
export const deltaOf = (value, base) =>
  typeof value === "number" && typeof base === "number" && Number.isFinite(value - base) ? value - base : null;

/** The difference in percent of the baseline's value. @param {Value | undefined} value @param {Value | undefined} base
 * @returns {number | null} null also if the baseline's value is 0 */
export function percentOf(value, base) {
  const delta = deltaOf(value, base);
  return delta === null || base === 0 ? null : (delta / Math.abs(Number(base))) * 100;
}

/** Is a difference an improvement, a decline or neither? @param {number | null} delta @param {"min" | "max"} goal */
export const verdictOf = (delta, goal) => (!delta ? "" : delta > 0 === (goal === "max") ? "better" : "worse");

/** "+0.012", "−3": with a sign. @param {number} value @param {string} text of its magnitude */
export const withSign = (value, text) => (value > 0 ? `+${text}` : value < 0 ? `−${text}` : text);

/** "+12.3 %". @param {number} percent */
export function percentText(percent) {
  const size = Math.abs(percent);
  return `${withSign(percent, size >= 1000 ? size.toPrecision(3) : size.toFixed(1))} %`;
}
