// One-dimensional slices of a landscape: along each axis through a point, and along the training path.

import { heightAt } from "../../../charts/landscape/grid.js";
import { timesOf } from "./path.js";

/** @typedef {import("../../../charts/landscape/grid.js").Grid} Grid */
/** @typedef {import("./landscape.js").Landscape} Landscape */

/** Losses along a line with their standard errors; NaN if unknown.
 * @typedef {{at: Float64Array, losses: Float64Array, errors: Float64Array}} Slice */

/** The slice parallel to an axis through a point. @param {Landscape} landscape @param {Grid} drawn
 * @param {(height: number) => number} lossOf @param {"x" | "y"} axis @param {{x: number, y: number}} through
 * @returns {Slice} */
export function sliceAlong(landscape, drawn, lossOf, axis, through) {
  const errors = errorsOf(landscape);
  const at = drawn[axis];
  const of = (/** @type {Grid} */ grid) =>
    at.map((coordinate) =>
      axis === "x" ? heightAt(grid, coordinate, through.y) : heightAt(grid, through.x, coordinate),
    );
  return { at, losses: of(drawn).map(lossOf), errors: errors ? of(errors) : new Float64Array(at.length).fill(NaN) };
}

/** Standard errors as grids: of the differences from the loss at the origin, on which the shape of a slice depends; of the
 * losses if those are unknown. @type {WeakMap<Landscape, Grid>} */
const errorGrids = new WeakMap();

/** @param {Landscape} landscape @returns {Grid | null} */
function errorsOf(landscape) {
  const { measured } = landscape;
  if (!measured) return null;
  const grid = errorGrids.get(landscape) ?? {
    x: measured.x,
    y: measured.y,
    heights: (measured.differenceError ?? measured.standardError).map((error, at) =>
      measured.known[at] ? error : NaN,
    ),
  };
  errorGrids.set(landscape, grid);
  return grid;
}

/** The real losses of the checkpoints, with the standard errors of their differences from the losses of their
 * projections, and these losses; null if unknown.
 * @param {Landscape} landscape @returns {{real: Slice | null, plane: Slice | null} | null} null without a path */
export function slicesOfPath({ path, truth }) {
  if (!path?.x.length) return null;
  const at = timesOf(path);
  const noErrors = new Float64Array(at.length).fill(NaN);
  if (!truth) return { real: null, plane: { at, losses: path.z, errors: noErrors } };
  return {
    real: { at, losses: truth.real, errors: truth.gapError ?? truth.standardError },
    plane: { at, losses: truth.plane, errors: noErrors },
  };
}

/** A parabola with the curvature of the steepest direction, for comparison with a slice.
 * @param {Float64Array} at @param {number} minimum loss of the model
 * @param {number} curvature second derivative by length in weight space
 * @param {number} length of one coordinate unit in weight space
 * @returns {Slice} */
export const parabola = (at, minimum, curvature, length) => ({
  at,
  losses: at.map((coordinate) => minimum + 0.5 * curvature * (coordinate * length) ** 2),
  errors: new Float64Array(at.length).fill(NaN),
});

/** The lowest and highest loss of several slices, including their errors; null without finite losses.
 * @param {Slice[]} slices @returns {[number, number] | null} */
export function lossRange(slices) {
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
