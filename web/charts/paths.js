// Columns to canvas paths: a line with gaps, dots for lonely points, triangles where a value was not finite.

/** @typedef {import("./plot.js").Projection} Projection */

/** A line through the finite points; a gap where a value has no place; a dot where a point has no neighbour.
 * @param {Float64Array} xs @param {Float64Array} ys @param {Projection} to */
export function linePath(xs, ys, to) {
  const path = new Path2D();
  const dots = new Path2D();
  const radius = 2 * to.pixelRatio;
  let run = 0;
  let lastX = 0;
  let lastY = 0;
  const endOfRun = () => {
    if (run === 1) {
      dots.moveTo(lastX + radius, lastY);
      dots.arc(lastX, lastY, radius, 0, 2 * Math.PI);
    }
    run = 0;
  };
  for (let index = 0; index < ys.length; index++) {
    const y = to.top(ys[index]);
    if (!Number.isFinite(y)) {
      endOfRun();
      continue;
    }
    const x = to.left(xs[index]);
    if (run === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
    run++;
    lastX = x;
    lastY = y;
  }
  endOfRun();
  return { path, dots };
}

/** Small open triangles at the edge where a value went: up for infinity, down for minus infinity and NaN.
 * @param {Float64Array} xs @param {Float64Array} values @param {Projection} to @returns {Path2D | null} null when all are finite */
export function trianglesPath(xs, values, to) {
  /** @type {Path2D | null} */
  let path = null;
  const size = 4 * to.pixelRatio;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (Number.isFinite(value)) continue;
    path ??= new Path2D();
    const up = value === Infinity;
    const tip = up ? 1.5 * to.pixelRatio : to.height - 1.5 * to.pixelRatio;
    const base = up ? tip + size * 1.6 : tip - size * 1.6;
    const x = Math.min(Math.max(to.left(xs[index]), size), to.width - size);
    path.moveTo(x, tip);
    path.lineTo(x + size, base);
    path.lineTo(x - size, base);
    path.closePath();
  }
  return path;
}
