// A surface of losses on a grid: read from the server's reply, as heights that are drawn, refined between its points.

/** @typedef {"linear" | "log"} HeightScale */

/** Losses on a grid, row by row. What is missing or not finite is NaN in `heights`.
 * @typedef {object} Grid
 * @property {Float64Array} x of the columns, in the order of the file
 * @property {Float64Array} y of the rows
 * @property {Float64Array} heights losses, or their logarithms to base 10
 */

/** "NaN", "Infinity" and "-Infinity" are what Number makes of them.
 * @param {ArrayLike<number | string>} column */
export function numbersOf(column) {
  const numbers = new Float64Array(column.length);
  for (let at = 0; at < column.length; at++) numbers[at] = Number(column[at]);
  return numbers;
}

/** What height a loss is drawn at; a logarithm has none for what is not above zero.
 * @param {number} loss @param {HeightScale} scale */
export const heightOf = (loss, scale) =>
  scale === "log" ? (loss > 0 && loss < Infinity ? Math.log10(loss) : NaN) : Number.isFinite(loss) ? loss : NaN;

/** @param {number} height @param {HeightScale} scale */
export const lossOf = (height, scale) => (scale === "log" ? 10 ** height : height);

/** @param {{x: Float64Array, y: Float64Array, z: Float64Array}} surface @param {HeightScale} scale @returns {Grid} */
export const gridOf = ({ x, y, z }, scale) => ({ x, y, heights: z.map((loss) => heightOf(loss, scale)) });

/** Lowest and highest of all heights; null when none is finite.
 * @param {Iterable<Grid>} grids @returns {[number, number] | null} */
export function reachOf(grids) {
  let lo = Infinity;
  let hi = -Infinity;
  for (const { heights } of grids) {
    for (const height of heights) {
      if (height < lo) lo = height;
      if (height > hi) hi = height;
    }
  }
  return lo > hi ? null : [lo, hi];
}

/** Every so many-th point of a large grid, its ends among them.
 * @param {Grid} grid @param {number} most points along an axis @returns {Grid} */
export function thinned({ x, y, heights }, most) {
  const columns = places(x.length, most);
  const rows = places(y.length, most);
  if (columns.length === x.length && rows.length === y.length) return { x, y, heights };
  const kept = new Float64Array(columns.length * rows.length);
  let next = 0;
  for (const row of rows) for (const column of columns) kept[next++] = heights[row * x.length + column];
  return {
    x: Float64Array.from(columns, (column) => x[column]),
    y: Float64Array.from(rows, (row) => y[row]),
    heights: kept,
  };
}

/** The part of a grid around a stretch of coordinates along each axis.
 * @param {Grid} grid @param {readonly [number, number]} across @param {readonly [number, number]} down
 * @param {number} margin points more on each side @returns {Grid} */
export function cropped({ x, y, heights }, across, down, margin) {
  const [left, right] = stretchOf(x, across, margin);
  const [top, bottom] = stretchOf(y, down, margin);
  const kept = new Float64Array((right - left) * (bottom - top));
  for (let row = top; row < bottom; row++)
    kept.set(heights.subarray(row * x.length + left, row * x.length + right), (row - top) * (right - left));
  return { x: x.slice(left, right), y: y.slice(top, bottom), heights: kept };
}

/** The points of an axis around a stretch of it: the first, and the one behind the last.
 * @param {Float64Array} axis @param {readonly [number, number]} stretch @param {number} margin
 * @returns {[number, number]} */
function stretchOf(axis, stretch, margin) {
  const [least, most] = [Math.min(axis[0], axis[axis.length - 1]), Math.max(axis[0], axis[axis.length - 1])];
  const ends = stretch.map((end) => placeIn(axis, Math.max(least, Math.min(most, end))));
  return [
    Math.max(0, Math.floor(Math.min(...ends)) - margin),
    Math.min(axis.length, Math.ceil(Math.max(...ends)) + 1 + margin),
  ];
}

/** @param {number} length @param {number} most */
function places(length, most) {
  const count = Math.min(length, most);
  return Array.from({ length: count }, (_, place) =>
    count === 1 ? 0 : Math.round((place * (length - 1)) / (count - 1)),
  );
}

/** The grid with `factor` cells for each of its own, along both axes: through all its points, never beyond its
 * neighbours'
 * heights (Steffen's monotone cubic).
 * @param {Grid} grid @param {number} factor @returns {Grid} */
export function refined({ x, y, heights }, factor) {
  if (factor < 2) return { x, y, heights };
  const wide = (x.length - 1) * factor + 1;
  const high = (y.length - 1) * factor + 1;
  const across = new Float64Array(wide * y.length);
  for (let row = 0; row < y.length; row++)
    across.set(refinedLine(x, heights.subarray(row * x.length, (row + 1) * x.length), factor), row * wide);
  const fine = new Float64Array(wide * high);
  const column = new Float64Array(y.length);
  for (let at = 0; at < wide; at++) {
    for (let row = 0; row < y.length; row++) column[row] = across[row * wide + at];
    const finer = refinedLine(y, column, factor);
    for (let row = 0; row < high; row++) fine[row * wide + at] = finer[row];
  }
  return { x: refinedAxis(x, factor), y: refinedAxis(y, factor), heights: fine };
}

/** @param {Float64Array} axis @param {number} factor */
const refinedAxis = (axis, factor) =>
  Float64Array.from({ length: (axis.length - 1) * factor + 1 }, (_, at) => placeOn(axis, at / factor));

/** The coordinate at a place between two points of an axis: 2.5 is half way from the third to the fourth.
 * @param {ArrayLike<number>} axis @param {number} place */
export function placeOn(axis, place) {
  const below = Math.max(0, Math.min(axis.length - 2, Math.floor(place)));
  return axis.length < 2 || place === below
    ? axis[below]
    : axis[below] + (axis[below + 1] - axis[below]) * (place - below);
}

/** @param {Float64Array} axis @param {Float64Array} line @param {number} factor */
function refinedLine(axis, line, factor) {
  const slopes = slopesOf(axis, line);
  const fine = new Float64Array((line.length - 1) * factor + 1);
  for (let cell = 0; cell < line.length - 1; cell++) {
    const width = axis[cell + 1] - axis[cell];
    const [from, to] = [line[cell], line[cell + 1]];
    fine[cell * factor] = from;
    for (let step = 1; step < factor; step++) {
      const t = step / factor;
      const [t2, t3] = [t * t, t * t * t];
      fine[cell * factor + step] =
        (2 * t3 - 3 * t2 + 1) * from +
        (t3 - 2 * t2 + t) * width * slopes[cell] +
        (3 * t2 - 2 * t3) * to +
        (t3 - t2) * width * slopes[cell + 1];
    }
  }
  fine[fine.length - 1] = line[line.length - 1];
  return fine;
}

/** Slopes at the points; beside a missing point as at an end.
 * @param {Float64Array} axis @param {Float64Array} line */
function slopesOf(axis, line) {
  const slopes = new Float64Array(line.length);
  let before = NaN;
  for (let at = 0; at < line.length; at++) {
    const right = axis[at + 1] - axis[at];
    const after = (line[at + 1] - line[at]) / right;
    if (Number.isNaN(before)) slopes[at] = Number.isNaN(after) ? 0 : after;
    else if (Number.isNaN(after)) slopes[at] = before;
    else {
      const left = axis[at] - axis[at - 1];
      const middle = (before * right + after * left) / (left + right);
      slopes[at] =
        (Math.sign(before) + Math.sign(after)) * Math.min(Math.abs(before), Math.abs(after), Math.abs(middle) / 2);
    }
    before = after;
  }
  return slopes;
}

/** Where on an axis, up or down, a coordinate lies: the other way round than `placeOn`; NaN outside.
 * @param {ArrayLike<number>} axis @param {number} coordinate */
function placeIn(axis, coordinate) {
  const sign = axis[axis.length - 1] >= axis[0] ? 1 : -1;
  let lo = 0;
  let hi = axis.length - 1;
  if (!(sign * coordinate >= sign * axis[lo] && sign * coordinate <= sign * axis[hi])) return NaN;
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1;
    if (sign * axis[middle] <= sign * coordinate) lo = middle;
    else hi = middle;
  }
  return hi === lo ? lo : lo + (coordinate - axis[lo]) / (axis[hi] - axis[lo] || 1);
}

/** The height at a coordinate, between the four points around it; NaN outside, or where one of them is missing.
 * @param {Grid} grid @param {number} x @param {number} y */
export function heightAt({ x: xs, y: ys, heights }, x, y) {
  const [column, row] = [placeIn(xs, x), placeIn(ys, y)];
  if (Number.isNaN(column + row)) return NaN;
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(left + 1, xs.length - 1), Math.min(top + 1, ys.length - 1)];
  const [across, down] = [column - left, row - top];
  const at = (/** @type {number} */ r, /** @type {number} */ c) => heights[r * xs.length + c];
  const mixed = (/** @type {number} */ one, /** @type {number} */ other, /** @type {number} */ share) =>
    share === 0 ? one : one + (other - one) * share;
  return mixed(mixed(at(top, left), at(top, right), across), mixed(at(bottom, left), at(bottom, right), across), down);
}

/** The grid with points equally far apart along each axis: itself where they are, else with heights between its own.
 * @param {Grid} grid @returns {Grid} */
export function evened(grid) {
  const { x, y } = grid;
  if (isEven(x) && isEven(y)) return grid;
  const [across, down] = [x, y].map((axis) =>
    Float64Array.from(axis, (_, at) => axis[0] + ((axis[axis.length - 1] - axis[0]) * at) / (axis.length - 1)),
  );
  const heights = new Float64Array(x.length * y.length);
  for (let row = 0; row < y.length; row++)
    for (let column = 0; column < x.length; column++)
      heights[row * x.length + column] = heightAt(grid, across[column], down[row]);
  return { x: across, y: down, heights };
}

/** @param {Float64Array} axis */
export function isEven(axis) {
  const step = (axis[axis.length - 1] - axis[0]) / (axis.length - 1);
  return axis.every((one, at) => at === 0 || Math.abs(one - axis[at - 1] - step) <= Math.abs(step) * 1e-3);
}
