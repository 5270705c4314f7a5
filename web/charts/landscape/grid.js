// Losses on a grid: conversion to heights, resampling and interpolation.

/** @typedef {"linear" | "log"} HeightScale */

/** Heights on a grid, row by row. NaN = missing or not finite.
 * @typedef {object} Grid
 * @property {Float64Array} x of the columns, ascending or descending
 * @property {Float64Array} y of the rows
 * @property {Float64Array} heights losses, or their base-10 logarithms */

/** Converts a JSON column to numbers, including "NaN", "Infinity" and "-Infinity".
 * @param {ArrayLike<number | string>} column */
export function numbersOf(column) {
  const numbers = new Float64Array(column.length);
  for (let at = 0; at < column.length; at++) numbers[at] = Number(column[at]);
  return numbers;
}

/** The height of a loss: its value, or its base-10 logarithm. NaN if not finite, or not positive on a log scale.
 * @param {number} loss @param {HeightScale} scale */
export const heightOf = (loss, scale) =>
  scale === "log" ? (loss > 0 && loss < Infinity ? Math.log10(loss) : NaN) : Number.isFinite(loss) ? loss : NaN;

/** @param {number} height @param {HeightScale} scale */
export const lossOf = (height, scale) => (scale === "log" ? 10 ** height : height);

/** @param {{x: Float64Array, y: Float64Array, z: Float64Array}} surface @param {HeightScale} scale @returns {Grid} */
export const gridOf = ({ x, y, z }, scale) => ({ x, y, heights: z.map((loss) => heightOf(loss, scale)) });

/** The lowest and highest height; null if none is finite.
 * @param {Iterable<Grid>} grids @returns {[number, number] | null} */
export function heightRange(grids) {
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

/** Samples a grid at no more than `most` evenly spaced points along each axis, including the ends.
 * @param {Grid} grid @param {number} most points along an axis @returns {Grid} */
export function decimate({ x, y, heights }, most) {
  const columns = sampleIndices(x.length, most);
  const rows = sampleIndices(y.length, most);
  if (columns.length === x.length && rows.length === y.length) return { x, y, heights };
  const sampled = new Float64Array(columns.length * rows.length);
  let next = 0;
  for (const row of rows) for (const column of columns) sampled[next++] = heights[row * x.length + column];
  return {
    x: Float64Array.from(columns, (column) => x[column]),
    y: Float64Array.from(rows, (row) => y[row]),
    heights: sampled,
  };
}

/** Crops a grid to a range of coordinates along each axis, plus a margin.
 * @param {Grid} grid @param {readonly [number, number]} across @param {readonly [number, number]} down
 * @param {number} margin extra points on each side @returns {Grid} */
export function crop({ x, y, heights }, across, down, margin) {
  const [left, right] = indexRange(x, across, margin);
  const [top, bottom] = indexRange(y, down, margin);
  const cropped = new Float64Array((right - left) * (bottom - top));
  for (let row = top; row < bottom; row++)
    cropped.set(heights.subarray(row * x.length + left, row * x.length + right), (row - top) * (right - left));
  return { x: x.slice(left, right), y: y.slice(top, bottom), heights: cropped };
}

/** The index range [first, end) of the points that cover a range of coordinates.
 * @param {Float64Array} axis @param {readonly [number, number]} range @param {number} margin
 * @returns {[number, number]} */
function indexRange(axis, range, margin) {
  const [least, most] = [Math.min(axis[0], axis[axis.length - 1]), Math.max(axis[0], axis[axis.length - 1])];
  const ends = range.map((end) => fractionalIndex(axis, Math.max(least, Math.min(most, end))));
  return [
    Math.max(0, Math.floor(Math.min(...ends)) - margin),
    Math.min(axis.length, Math.ceil(Math.max(...ends)) + 1 + margin),
  ];
}

/** @param {number} length @param {number} most */
function sampleIndices(length, most) {
  const count = Math.min(length, most);
  return Array.from({ length: count }, (_, place) =>
    count === 1 ? 0 : Math.round((place * (length - 1)) / (count - 1)),
  );
}

/** Refines a grid to `factor` cells per cell along both axes by monotone cubic interpolation, which passes through
 * all points and does not overshoot. Source: M. Steffen, A simple method for monotonic interpolation in one
 * dimension, Astron. Astrophys. 239 (1990).
 * @param {Grid} grid @param {number} factor @returns {Grid} */
export function refine({ x, y, heights }, factor) {
  if (factor < 2) return { x, y, heights };
  const wide = (x.length - 1) * factor + 1;
  const high = (y.length - 1) * factor + 1;
  const across = new Float64Array(wide * y.length);
  for (let row = 0; row < y.length; row++)
    across.set(refineLine(x, heights.subarray(row * x.length, (row + 1) * x.length), factor), row * wide);
  const fine = new Float64Array(wide * high);
  const column = new Float64Array(y.length);
  for (let at = 0; at < wide; at++) {
    for (let row = 0; row < y.length; row++) column[row] = across[row * wide + at];
    const finer = refineLine(y, column, factor);
    for (let row = 0; row < high; row++) fine[row * wide + at] = finer[row];
  }
  return { x: refineAxis(x, factor), y: refineAxis(y, factor), heights: fine };
}

/** @param {Float64Array} axis @param {number} factor */
const refineAxis = (axis, factor) =>
  Float64Array.from({ length: (axis.length - 1) * factor + 1 }, (_, at) => coordinateAt(axis, at / factor));

/** The coordinate at a fractional index of an axis, interpolated linearly.
 * @param {ArrayLike<number>} axis @param {number} place */
export function coordinateAt(axis, place) {
  const below = Math.max(0, Math.min(axis.length - 2, Math.floor(place)));
  return axis.length < 2 || place === below
    ? axis[below]
    : axis[below] + (axis[below + 1] - axis[below]) * (place - below);
}

/** @param {Float64Array} axis @param {Float64Array} line @param {number} factor */
function refineLine(axis, line, factor) {
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

/** Slopes at the points (Steffen 1990). A missing neighbour is treated as the end of the line.
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

/** The fractional index of a coordinate, the inverse of `coordinateAt`; NaN outside the axis.
 * @param {ArrayLike<number>} axis @param {number} coordinate */
function fractionalIndex(axis, coordinate) {
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

/** The bilinearly interpolated height at a coordinate; NaN outside the grid or next to a missing point.
 * @param {Grid} grid @param {number} x @param {number} y */
export function heightAt({ x: xs, y: ys, heights }, x, y) {
  const [column, row] = [fractionalIndex(xs, x), fractionalIndex(ys, y)];
  if (Number.isNaN(column + row)) return NaN;
  const [left, top] = [Math.floor(column), Math.floor(row)];
  const [right, bottom] = [Math.min(left + 1, xs.length - 1), Math.min(top + 1, ys.length - 1)];
  const [across, down] = [column - left, row - top];
  const at = (/** @type {number} */ r, /** @type {number} */ c) => heights[r * xs.length + c];
  const interpolate = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ share) =>
    share === 0 ? from : from + (to - from) * share;
  return interpolate(
    interpolate(at(top, left), at(top, right), across),
    interpolate(at(bottom, left), at(bottom, right), across),
    down,
  );
}

/** Resamples a grid to evenly spaced points along each axis; returns the grid itself if it is even.
 * @param {Grid} grid @returns {Grid} */
export function resampleEvenly(grid) {
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
  return axis.every((value, at) => at === 0 || Math.abs(value - axis[at - 1] - step) <= Math.abs(step) * 1e-3);
}
