// A landscape in the page's representation, converted from the server's reply.

import { numbersOf } from "../../../charts/landscape/grid.js";
import { stepsOf } from "./path.js";

/** Statistics over all losses.
 * @typedef {object} Tally
 * @property {number} lo lowest finite loss; Infinity without finite losses
 * @property {number} hi highest finite loss
 * @property {number} lowestAt index of the lowest loss in z; -1 without finite losses
 * @property {number} loAboveZero lowest positive finite loss; Infinity without one
 * @property {number} nonFinite
 * @property {number} notPositive finite losses without a logarithm */

/** The measured nodes; the surface is interpolated from them.
 * @typedef {object} Measured
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} z row by row; may be non-finite
 * @property {Uint8Array} known row by row; 0 = not measured yet
 * @property {Float64Array} standardError row by row
 * @property {Float64Array | null} differenceError row by row: standard error of the difference from the loss at the
 * origin, which is of the same samples; null if unknown
 * @property {number} level
 * @property {number} levels */

/** Per checkpoint: its real loss, the loss of its projection onto the plane, its relative distance from the plane,
 * and the standard errors of the real loss and of the gap between the two losses, which are of the same samples.
 * @typedef {{real: Float64Array, plane: Float64Array, residual: Float64Array, standardError: Float64Array,
 * gapError: Float64Array | null}} Truth */

/** @typedef {object} Diagnostics
 * @property {string} axes
 * @property {Float64Array} energy
 * @property {Float64Array} randomWalkEnergy
 * @property {boolean} isRandomWalk
 * @property {Float64Array} axisLengths
 * @property {number} axisCosine
 * @property {number} samples
 * @property {number | null} seed
 * @property {string} buffers
 * @property {boolean} isFlat
 * @property {number | null} units losses that standard errors are computed from: samples or batches
 * @property {number | null} differingNodes measured nodes whose loss differs from that at the origin by more than noise;
 * null: isFlat is from the standard errors of the losses instead of their differences
 * @property {number | null} randomWalkResidual
 * @property {number | null} interpolationError
 * @property {Float64Array} eigenvalues
 * @property {Float64Array} ritzResiduals
 * @property {Float64Array} curvature
 * @property {Record<string, string>} provenance
 */

/** @typedef {object} Landscape
 * @property {string} run
 * @property {string} tag
 * @property {number} wallTime
 * @property {number} publication index of this publication
 * @property {{steps: number[], wallTimes: Float64Array}} publications of the tag, oldest first
 * @property {string | null} error
 * @property {"interval" | "final" | null} kind
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} z row by row
 * @property {Tally} tally
 * @property {import("./path.js").Path | null} path
 * @property {[number, number, number] | null} convergence
 * @property {{decomposition: string | null, unit: string | null, step_per_epoch: number | null}} metadata
 * @property {Measured | null} measured null if not in the file; so are the next two
 * @property {Truth | null} truth
 * @property {Diagnostics | null} diagnostics */

/** @param {import("../../../data/kinds/landscapes.js").LandscapeReply} reply
 * @param {Float64Array | null} losses of a large surface, which the reply does not contain @returns {Landscape} */
export function landscapeOf(
  {
    run,
    tag,
    wall_time: wallTime,
    publication,
    publications,
    error,
    kind,
    x,
    y,
    z,
    path,
    convergence_point: convergence,
    metadata,
    level,
    measured,
    truth,
    diagnostics,
  },
  losses,
) {
  const steps = path && stepsOf(path.intervals, metadata.unit, metadata.step_per_epoch);
  const all = losses ?? flatten(z, x.length);
  return {
    run,
    tag,
    error,
    kind,
    metadata,
    publication,
    wallTime: Number(wallTime),
    publications: { steps: publications.step, wallTimes: numbersOf(publications.wall_time) },
    x: numbersOf(x),
    y: numbersOf(y),
    z: all,
    tally: tallyLosses(all),
    path: path && {
      x: numbersOf(path.x),
      y: numbersOf(path.y),
      z: numbersOf(path.z),
      intervals: path.intervals,
      steps,
    },
    convergence: convergence && /** @type {[number, number, number]} */ ([...numbersOf(convergence)]),
    measured: measured && measuredOf(measured, level ?? 0),
    truth: truth && {
      real: numbersOf(truth.real),
      plane: numbersOf(truth.plane),
      residual: numbersOf(truth.residual),
      standardError: numbersOf(truth.standard_error),
      gapError: truth.gap_error && numbersOf(truth.gap_error),
    },
    diagnostics:
      "axes" in diagnostics
        ? diagnosticsOf(/** @type {import("../../../data/kinds/landscapes.js").DiagnosticsReply} */ (diagnostics))
        : null,
  };
}

/** @param {import("../../../data/kinds/landscapes.js").MeasuredReply} reply @param {number} level @returns {Measured} */
const measuredOf = ({ x, y, z, known, standard_error: errors, difference_error: differences, levels }, level) => ({
  x: numbersOf(x),
  y: numbersOf(y),
  z: flatten(z, x.length),
  standardError: flatten(errors, x.length),
  differenceError: differences && flatten(differences, x.length),
  level,
  levels,
  known: Uint8Array.from(known.flat(), Number),
});

/** @param {import("../../../data/kinds/landscapes.js").DiagnosticsReply} reply @returns {Diagnostics} */
const diagnosticsOf = (reply) => ({
  axes: reply.axes,
  samples: reply.samples,
  seed: reply.seed,
  buffers: reply.buffers,
  provenance: reply.provenance,
  isRandomWalk: reply.is_random_walk,
  isFlat: reply.is_flat,
  units: reply.units,
  differingNodes: reply.differing_nodes,
  randomWalkResidual: reply.random_walk_residual === null ? null : Number(reply.random_walk_residual),
  energy: numbersOf(reply.energy),
  randomWalkEnergy: numbersOf(reply.random_walk_energy),
  axisLengths: numbersOf(reply.axis_lengths),
  axisCosine: Number(reply.axis_cosine),
  interpolationError: reply.interpolation_error === null ? null : Number(reply.interpolation_error),
  eigenvalues: numbersOf(reply.eigenvalues),
  ritzResiduals: numbersOf(reply.ritz_residuals),
  curvature: numbersOf(reply.curvature),
});

/** @param {import("../../../data/kinds/landscapes.js").Column[]} rows @param {number} width */
function flatten(rows, width) {
  const all = new Float64Array(rows.length * width);
  for (const [at, row] of rows.entries()) all.set(numbersOf(row), at * width);
  return all;
}

/** @param {Float64Array} losses @returns {Tally} */
function tallyLosses(losses) {
  let [lo, hi, loAboveZero] = [Infinity, -Infinity, Infinity];
  let [lowestAt, nonFinite, notPositive] = [-1, 0, 0];
  for (let at = 0; at < losses.length; at++) {
    const loss = losses[at];
    if (!Number.isFinite(loss)) {
      nonFinite++;
      continue;
    }
    if (loss < lo) [lo, lowestAt] = [loss, at];
    if (loss > hi) hi = loss;
    if (loss <= 0) notPositive++;
    else if (loss < loAboveZero) loAboveZero = loss;
  }
  return { lo, hi, lowestAt, loAboveZero, nonFinite, notPositive };
}
