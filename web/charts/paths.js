// Canvas paths of columns: lines with gaps, dots of isolated points, bands, triangles at non-finite values, flags.

/** @typedef {import("./plot.js").Projection} Projection */

/** A line through the finite points, with gaps at values without a position and dots at isolated points.
 * @param {Float64Array} xs @param {Float64Array} ys @param {Projection} to
 * @param {number[]} [dash] pixels along x that are alternately drawn and skipped; empty = all are drawn */
export function linePath(xs, ys, to, dash = []) {
  const path = new Path2D();
  const dots = new Path2D();
  const radius = 2 * to.pixelRatio;
  let length = 0;
  let lastX = 0;
  let lastY = 0;
  const endSegment = () => {
    if (length === 1) {
      dots.moveTo(lastX + radius, lastY);
      dots.arc(lastX, lastY, radius, 0, 2 * Math.PI);
    }
    length = 0;
  };
  for (let index = 0; index < ys.length; index++) {
    const y = to.top(ys[index]);
    const x = to.left(xs[index]);
    if (!Number.isFinite(y) || !Number.isFinite(x)) {
      endSegment();
      continue;
    }
    if (length === 0 || isSkipped(x, dash)) path.moveTo(x, y);
    else path.lineTo(x, y);
    length++;
    lastX = x;
    lastY = y;
  }
  endSegment();
  return { path, dots };
}

/** @param {number} x @param {number[]} dash */
function isSkipped(x, dash) {
  if (!dash.length) return false;
  let remainder = x % dash.reduce((sum, length) => sum + length, 0);
  let place = 0;
  while (remainder >= dash[place]) remainder -= dash[place++];
  return place % 2 === 1;
}

/** Small open triangles at the edge: at the top for infinity, at the bottom for minus infinity and NaN.
 * @param {Float64Array} xs @param {Float64Array} values @param {Projection} to
 * @returns {Path2D | null} null if all are finite */
export function trianglesPath(xs, values, to) {
  /** @type {Path2D | null} */
  let path = null;
  const size = 4 * to.pixelRatio;
  const last = { up: -Infinity, down: -Infinity };
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    const place = to.left(xs[index]);
    if (Number.isFinite(value) || Number.isNaN(place)) continue;
    const up = value === Infinity;
    // Of many side by side, those that do not overlap.
    if (place < last[up ? "up" : "down"] + 2 * size) continue;
    last[up ? "up" : "down"] = place;
    path ??= new Path2D();
    const tip = up ? 1.5 * to.pixelRatio : to.height - 1.5 * to.pixelRatio;
    const base = up ? tip + size * 1.6 : tip - size * 1.6;
    const x = Math.min(Math.max(place, size), to.width - size);
    path.moveTo(x, tip);
    path.lineTo(x + size, base);
    path.lineTo(x - size, base);
    path.closePath();
  }
  return path;
}

/** Small triangles at the edge of the plot area, towards what is beyond it.
 * @param {number[]} xs ascending @param {boolean} up at the top @param {Projection} to */
export function pointersPath(xs, up, to) {
  const path = new Path2D();
  const size = 3.5 * to.pixelRatio;
  const [tip, base] = up ? [0, 1.4 * size] : [to.height, to.height - 1.4 * size];
  let last = -Infinity;
  for (const x of xs) {
    const place = Math.min(Math.max(to.left(x), size), to.width - size);
    if (!(place >= last + 2 * size)) continue;
    last = place;
    path.moveTo(place, tip);
    path.lineTo(place + size, base);
    path.lineTo(place - size, base);
    path.closePath();
  }
  return path;
}

/** The area between two columns, with gaps where one of them has no position.
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

/** A flag on a point: a pole, and a pennant to the side that has room. null if the point is not visible.
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
