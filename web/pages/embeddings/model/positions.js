// The places of points on the screen's scale, from the axes of a projection. Pure.

/** Puts axes together as x, y, z of each point: centred, and within 1 of the origin in each direction. Points without a
 * position are at the origin.
 * @param {readonly ArrayLike<number>[]} axes two or three @returns {Float32Array} */
export function positionsOf(axes) {
  const ranges = axes.map(rangeOf);
  const half = Math.max(...ranges.map(([lo, hi]) => (hi - lo) / 2)) || 1;
  const positions = new Float32Array(3 * axes[0].length);
  axes.forEach((axis, number) => {
    const [lo, hi] = ranges[number];
    const middle = lo + (hi - lo) / 2;
    for (let at = 0; at < axis.length; at++)
      positions[3 * at + number] = Number.isFinite(axis[at]) ? (axis[at] - middle) / half : 0;
  });
  return positions;
}

/** @param {ArrayLike<number>} axis @returns {[lo: number, hi: number]} of the finite numbers */
function rangeOf(axis) {
  let [lo, hi] = [Infinity, -Infinity];
  for (let at = 0; at < axis.length; at++) {
    if (axis[at] < lo) lo = axis[at];
    if (axis[at] > hi && axis[at] !== Infinity) hi = axis[at];
  }
  return lo <= hi ? [lo, hi] : [0, 0];
}

/** Mirrors axes so that each point moves as little as possible from where it was: the sign of a component is arbitrary.
 * @param {readonly Float32Array[]} axes @param {readonly Float32Array[]} before of the same points */
export const aligned = (axes, before) =>
  axes.map((axis, number) => {
    const other = before[number];
    if (other?.length !== axis.length) return axis;
    let product = 0;
    for (let at = 0; at < axis.length; at++) {
      const term = axis[at] * other[at];
      if (Number.isFinite(term)) product += term;
    }
    return product < 0 ? axis.map((value) => -value) : axis;
  });
