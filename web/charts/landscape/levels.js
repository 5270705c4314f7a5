// Choice of contour levels.

/** @typedef {import("./grid.js").HeightScale} HeightScale */

/** Returns round levels strictly inside a range: steps of 1, 2, 2.5 or 5 times a power of ten on a linear scale;
 * whole fractions of a decade on a log scale.
 * @param {readonly [number, number]} range heights @param {number} target approximate number
 * @param {HeightScale} scale
 * @returns {number[]} heights */
export function contourLevels([lo, hi], target, scale) {
  if (!(hi > lo)) return [];
  const span = (hi - lo) / target;
  const decade = 10 ** Math.floor(Math.log10(span));
  const size =
    scale === "log" && span < 1
      ? 1 / nearest([1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100, 200, 500, 1000], 1 / span)
      : decade * nearest([1, 2, 2.5, 5, 10], span / decade);
  const first = Math.floor(lo / size) + 1;
  const count = Math.max(0, Math.ceil(hi / size) - first);
  return Array.from({ length: Math.min(count, 200) }, (_, place) => Number(((first + place) * size).toPrecision(12)));
}

/** The candidate with the smallest ratio to the target.
 * @param {number[]} candidates @param {number} target */
const nearest = (candidates, target) =>
  candidates.reduce((best, candidate) =>
    Math.abs(Math.log(candidate / target)) < Math.abs(Math.log(best / target)) ? candidate : best,
  );
