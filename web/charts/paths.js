// Columns to canvas paths: a line with gaps, dots for lonely points, a band, triangles where a value was not finite, flags.

/** @typedef {import("./plot.js").Projection} Projection */

/** A line through the finite points; a gap where a value has no place; a dot where a point has no neighbour.
 * @param {Float64Array} xs @param {Float64Array} ys @param {Projection} to
 * @param {number[]} [dash] pixels along x drawn and left out in turn; none: all is drawn */
export function linePath(xs, ys, to, dash = []) {
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
    const x = to.left(xs[index]);
    if (!Number.isFinite(y) || !Number.isFinite(x)) {
      endOfRun();
      continue;
    }
    if (run === 0 || isLeftOut(x, dash)) path.moveTo(x, y);
    else path.lineTo(x, y);
    run++;
    lastX = x;
    lastY = y;
  }
  endOfRun();
  return { path, dots };
}

/** @param {number} x @param {number[]} dash */
function isLeftOut(x, dash) {
  if (!dash.length) return false;
  let rest = x % dash.reduce((sum, length) => sum + length, 0);
  let place = 0;
  while (rest >= dash[place]) rest -= dash[place++];
  return place % 2 === 1;
}

/** Small open triangles at the edge where a value went: up for infinity, down for minus infinity and NaN.
 * @param {Float64Array} xs @param {Float64Array} values @param {Projection} to @returns {Path2D | null} null when all are finite */
export function trianglesPath(xs, values, to) {
  /** @type {Path2D | null} */
  let path = null;
  const size = 4 * to.pixelRatio;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (Number.isFinite(value) || Number.isNaN(to.left(xs[index]))) continue;
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

/** The area between two columns; open where one of them has no place.
 * @param {Float64Array} xs @param {Float64Array} low @param {Float64Array} high @param {Projection} to */
export function bandPath(xs, low, high, to) {
  const path = new Path2D();
  let begin = 0;
  const close = (/** @type {number} */ end) => {
    if (end > begin) outline(path, xs, low, high, begin, end, to);
    begin = end + 1;
  };
  for (let index = 0; index < xs.length; index++) {
    if (
      !Number.isFinite(to.top(low[index])) ||
      !Number.isFinite(to.top(high[index])) ||
      !Number.isFinite(to.left(xs[index]))
    )
      close(index);
  }
  close(xs.length);
  return path;
}

/** @param {Path2D} path @param {Float64Array} xs @param {Float64Array} low @param {Float64Array} high
 * @param {number} begin @param {number} end @param {Projection} to */
function outline(path, xs, low, high, begin, end, to) {
  path.moveTo(to.left(xs[begin]), to.top(high[begin]));
  for (let index = begin + 1; index < end; index++) path.lineTo(to.left(xs[index]), to.top(high[index]));
  for (let index = end - 1; index >= begin; index--) path.lineTo(to.left(xs[index]), to.top(low[index]));
  path.closePath();
}

/** A pole on the point, its pennant to the side that has room. null when the point is not in sight.
 * @param {{x: number, y: number}} at @param {Projection} to @returns {{pole: Path2D, pennant: Path2D} | null} */
export function flagPaths(at, to) {
  const x = to.left(at.x);
  const y = to.top(at.y);
  if (!(x >= 0 && x <= to.width && y >= 0 && y <= to.height)) return null;
  const unit = to.pixelRatio;
  const up = y > 16 * unit ? -1 : 1;
  const along = x < to.width - 12 * unit ? 1 : -1;
  const pole = new Path2D();
  pole.moveTo(x, y);
  pole.lineTo(x, y + up * 13 * unit);
  const pennant = new Path2D();
  pennant.moveTo(x, y + up * 13 * unit);
  pennant.lineTo(x + along * 8 * unit, y + up * 10 * unit);
  pennant.lineTo(x, y + up * 7 * unit);
  pennant.closePath();
  return { pole, pennant };
}
