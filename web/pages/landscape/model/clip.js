// The quantile at which a clipped loss scale ends, so that a few outliers do not take up all colours.

import { coordinateAt, heightOf } from "../../../charts/landscape/grid.js";

/** @typedef {import("../../../charts/landscape/grid.js").HeightScale} HeightScale */

/** The quantile of all losses, interpolated linearly as by numpy.quantile. Losses without a height on the scale are
 * ignored.
 * @param {Float64Array[]} surfaces with at least one loss that has a height @param {HeightScale} scale
 * @param {number} share 0 to 1 */
export function quantileOf(surfaces, scale, share) {
  const losses = new Float64Array(surfaces.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const surface of surfaces)
    for (const loss of surface) if (!Number.isNaN(heightOf(loss, scale))) losses[count++] = loss;
  return coordinateAt(losses.subarray(0, count).sort(), share * (count - 1));
}
