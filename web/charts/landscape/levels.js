// At which heights contour lines are drawn, and how many of them fit.

/** @typedef {import("./grid.js").HeightScale} HeightScale */

/** Round levels within a range: steps of 1, 2, 2.5 or 5 in losses; equal parts of a decade when heights are
 * logarithms.
 * @param {readonly [number, number]} reach heights @param {number} wanted about so many @param {HeightScale} scale
 * @returns {number[]} heights */
export function levelsOf([lo, hi], wanted, scale) {
  if (!(hi > lo)) return [];
  const span = (hi - lo) / wanted;
  const decade = 10 ** Math.floor(Math.log10(span));
  const size =
    scale === "log" && span < 1
      ? 1 / nearest([1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100, 200, 500, 1000], 1 / span)
      : decade * nearest([1, 2, 2.5, 5, 10], span / decade);
  const first = Math.floor(lo / size) + 1;
  const count = Math.max(0, Math.ceil(hi / size) - first);
  return Array.from({ length: Math.min(count, 200) }, (_, place) => Number(((first + place) * size).toPrecision(12)));
}

/** By their ratio.
 * @param {number[]} candidates @param {number} wanted */
const nearest = (candidates, wanted) =>
  candidates.reduce((best, one) => (Math.abs(Math.log(one / wanted)) < Math.abs(Math.log(best / wanted)) ? one : best));
