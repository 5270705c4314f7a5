// One-dimensional cuts through a landscape: along each axis through a place, and along the training's path.

import { heightAt } from "../../../charts/landscape/grid.js";
import { timesOf } from "./path.js";

/** @typedef {import("../../../charts/landscape/grid.js").Grid} Grid */
/** @typedef {import("./landscape.js").Landscape} Landscape */

/** Losses along a line, and how sure they are; NaN where nothing is known.
 * @typedef {{at: Float64Array, losses: Float64Array, errors: Float64Array}} Slice */

/** The cut parallel to an axis. @param {Landscape} landscape @param {Grid} drawn
 * @param {(height: number) => number} lossOf @param {"x" | "y"} axis @param {{x: number, y: number}} through
 * @returns {Slice} */
export function sliceAlong(landscape, drawn, lossOf, axis, through) {
  const errors = errorsOf(landscape);
  const at = drawn[axis];
  const of = (/** @type {Grid} */ grid) =>
    at.map((one) => (axis === "x" ? heightAt(grid, one, through.y) : heightAt(grid, through.x, one)));
  return { at, losses: of(drawn).map(lossOf), errors: errors ? of(errors) : new Float64Array(at.length).fill(NaN) };
}

/** Standard errors as a grid; null when they are not known. @type {WeakMap<Landscape, Grid>} */
const known = new WeakMap();

/** @param {Landscape} landscape @returns {Grid | null} */
function errorsOf(landscape) {
  const { measured } = landscape;
  if (!measured) return null;
  const grid = known.get(landscape) ?? {
    x: measured.x,
    y: measured.y,
    heights: measured.standardError.map((error, at) => (measured.known[at] ? error : NaN)),
  };
  known.set(landscape, grid);
  return grid;
}

/** The losses of the checkpoints themselves, and those of their places on the plane; one is missing when nobody
 * knows it.
 * @param {Landscape} landscape @returns {{real: Slice | null, plane: Slice | null} | null} null without a path */
export function slicesOfPath({ path, truth }) {
  if (!path?.x.length) return null;
  const at = timesOf(path);
  const unsure = new Float64Array(at.length).fill(NaN);
  if (!truth) return { real: null, plane: { at, losses: path.z, errors: unsure } };
  return {
    real: { at, losses: truth.real, errors: truth.standardError },
    plane: { at, losses: truth.plane, errors: unsure },
  };
}

/** How the loss would rise along a line through the model if it bent as along the worst direction.
 * @param {Float64Array} at @param {number} least the model's loss
 * @param {number} bend second derivative per unit of length @param {number} length of a coordinate's unit
 * @returns {Slice} */
export const parabola = (at, least, bend, length) => ({
  at,
  losses: at.map((one) => least + 0.5 * bend * (one * length) ** 2),
  errors: new Float64Array(at.length).fill(NaN),
});

/** The lowest and highest loss of some slices, their errors included; null without any.
 * @param {Slice[]} slices @returns {[number, number] | null} */
export function lossesOf(slices) {
  let [lo, hi] = [Infinity, -Infinity];
  for (const { losses, errors } of slices) {
    losses.forEach((loss, at) => {
      if (!Number.isFinite(loss)) return;
      const error = Math.max(0, errors[at] || 0);
      lo = Math.min(lo, loss - error);
      hi = Math.max(hi, loss + error);
    });
  }
  return lo <= hi ? [lo, hi] : null;
}
