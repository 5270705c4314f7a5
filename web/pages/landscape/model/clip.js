// Where a scale of losses ends when it is clipped: nearly all losses lie below, and a few beyond do not take all
// colours.

import { heightOf, placeOn } from "../../../charts/landscape/grid.js";

/** @typedef {import("../../../charts/landscape/grid.js").HeightScale} HeightScale */

/** The loss that a share of all losses lies below, as numpy.quantile has it; those without a height on the scale do
 * not count.
 * @param {Float64Array[]} surfaces with a loss that has a height @param {HeightScale} scale
 * @param {number} share 0 to 1 */
export function quantileOf(surfaces, scale, share) {
  const losses = new Float64Array(surfaces.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const surface of surfaces)
    for (const loss of surface) if (!Number.isNaN(heightOf(loss, scale))) losses[count++] = loss;
  return placeOn(losses.subarray(0, count).sort(), share * (count - 1));
}
