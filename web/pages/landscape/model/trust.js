// Reliability of a landscape: findings, each with a severity and the numbers behind it.

import { planeOf } from "./plane.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */

/** "good", "fair" (interpret with care), "bad" (unreliable) or "plain" (information only).
 * @typedef {"good" | "fair" | "bad" | "plain"} Light */

/** A finding. The catalogue has a text for each key, in which `values` are inserted.
 * @typedef {object} Finding
 * @property {string} key
 * @property {Light} light
 * @property {Readonly<Record<string, number | string>>} values */

/** Relative limits up to which a finding is good and fair. */
const RESIDUAL = [0.31, 0.6];
const GAP = [0.05, 0.2];
const INTERPOLATION = [0.02, 0.1];
/** The share of the nodes that differ from the origin by more than noise, from which on the map has a shape. */
const MAX_NODES = 0.5;
const STEEPNESS = 10;
const COSINE = 0.05;
const UNIT_TOLERANCE = 1e-3;
/** Largest Ritz residual, relative to its eigenvalue, that counts as converged. */
const CONVERGED = 0.05;

/** @param {number} number @param {readonly number[]} limits @returns {Light} */
const lightOf = (number, [good, fair]) => (number <= good ? "good" : number <= fair ? "fair" : "bad");

/** @param {ArrayLike<number>} numbers not empty */
export function medianOf(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** The median standard error of the measured losses; NaN if unknown. @param {Landscape} landscape */
export const noiseOf = ({ measured }) =>
  finiteMedian(measured?.standardError.filter((_, at) => measured.known[at]) ?? []);

/** @param {ArrayLike<number>} numbers */
function finiteMedian(numbers) {
  const finite = Array.from(numbers).filter(Number.isFinite);
  return finite.length ? medianOf(finite) : NaN;
}

/** The number of known nodes with a finite loss besides the origin, and the median standard error of their differences
 * from it. @param {Landscape} landscape */
function differencesOf({ measured }) {
  /** @type {number[]} */
  const errors = [];
  measured?.known.forEach((isKnown, at) => {
    const isOrigin = measured.x[at % measured.x.length] === 0 && measured.y[Math.floor(at / measured.x.length)] === 0;
    if (isKnown && !isOrigin && Number.isFinite(measured.z[at])) errors.push(measured.differenceError?.[at] ?? NaN);
  });
  return { of: errors.length, error: finiteMedian(errors) };
}

/** Returns all findings, the most severe first; empty without diagnostics. @param {Landscape} landscape
 * @returns {Finding[]} */
export function findingsOf(landscape) {
  const { diagnostics } = landscape;
  if (!diagnostics) return [];
  const findings = [
    noise(landscape),
    path(landscape),
    residuals(landscape),
    gap(landscape),
    interpolation(landscape),
    axes(landscape),
    curvature(landscape),
    nonFiniteLosses(landscape),
    buffers(landscape),
  ].flat();
  const order = ["bad", "fair", "good", "plain"];
  return findings.toSorted((a, b) => order.indexOf(a.light) - order.indexOf(b.light));
}

/** The most severe light. @param {Finding[]} findings @returns {Light} */
export const verdictOf = (findings) => findings[0]?.light ?? "plain";

/** @param {Landscape} landscape @returns {Finding[]} */
function noise(landscape) {
  const { tally, diagnostics } = landscape;
  const {
    isFlat,
    samples,
    units,
    differingNodes: n,
  } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  const [span, level] = [tally.hi - tally.lo, noiseOf(landscape)];
  if (n === null) return noiseOfLosses(span, level, samples, isFlat);
  const { of, error } = differencesOf(landscape);
  const values = { span, level, error, samples, n, of };
  /** @type {Finding[]} */
  const ofBatches =
    units && units > 1 && units < samples ? [{ key: "noise_batches", light: "plain", values: { units, samples } }] : [];
  if (isFlat) return [{ key: "flat", light: "bad", values }, ...ofBatches];
  if (Number.isNaN(error)) return [{ key: "noise_unknown", light: "plain", values }];
  return [
    n < MAX_NODES * of ? { key: "noise_partly", light: "fair", values } : { key: "noise", light: "good", values },
    ...ofBatches,
  ];
}

/** For files without standard errors of differences, which are smaller than those of the losses.
 * @param {number} span @param {number} error @param {number} samples @param {boolean} isFlat @returns {Finding[]} */
const noiseOfLosses = (span, error, samples, isFlat) =>
  Number.isNaN(error)
    ? [{ key: "noise_unknown", light: "plain", values: {} }]
    : [
        {
          key: "noise_of_losses",
          light: isFlat ? "fair" : "good",
          values: { span, error, times: span / error, samples },
        },
      ];

/** @param {Landscape} landscape @returns {Finding[]} */
function path({ path: points, diagnostics }) {
  const { energy, randomWalkEnergy, isRandomWalk } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  if (!energy.length) return [{ key: "no_path", light: "plain", values: {} }];
  const sum = (/** @type {Float64Array} */ parts) => parts.reduce((all, part) => all + part, 0);
  const values = {
    energy: sum(energy),
    first: energy[0],
    second: energy[1] ?? 0,
    random: sum(randomWalkEnergy),
    random_first: randomWalkEnergy[0] ?? NaN,
    random_second: randomWalkEnergy[1] ?? 0,
    points: points?.x.length ?? 0,
  };
  return [{ key: isRandomWalk ? "random_walk" : "energy", light: isRandomWalk ? "bad" : "good", values }];
}

/** The median and maximum of the finite absolute values, and the index of the maximum; null without finite values.
 * @param {ArrayLike<number>} numbers */
function spread(numbers) {
  const finite = Array.from(numbers)
    .map((number, at) => ({ number: Math.abs(number), at }))
    .filter(({ number }) => Number.isFinite(number));
  if (!finite.length) return null;
  const most = finite.reduce((a, b) => (b.number > a.number ? b : a));
  return { median: medianOf(finite.map(({ number }) => number)), most: most.number, at: most.at };
}

/** @param {Landscape} landscape @returns {Finding[]} */
function residuals({ truth, diagnostics }) {
  const summary = truth && spread(truth.residual);
  const random = diagnostics?.randomWalkResidual ?? null;
  return summary
    ? [
        {
          key: random === null ? "residual" : "residual_walk",
          light: lightOf(summary.median, RESIDUAL),
          values: random === null ? summary : { ...summary, random },
        },
      ]
    : [];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function gap({ truth }) {
  const summary = truth && spread(truth.real.map((real, at) => truth.plane[at] - real));
  if (!truth || !summary) return [];
  const finite = truth.real.filter(Number.isFinite);
  const span = Math.max(...finite) - Math.min(...finite);
  const error = finiteMedian(truth.gapError ?? []);
  const part = summary.median / span;
  const values = { ...summary, span, part, error };
  return Number.isNaN(error)
    ? [{ key: "gap", light: lightOf(part, GAP), values }]
    : [{ key: "gap_noise", light: summary.median <= 2 * error ? "good" : lightOf(part, GAP), values }];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function interpolation({ diagnostics, measured }) {
  const error = diagnostics?.interpolationError ?? null;
  const values = { error: error ?? NaN, nodes: 2 ** (measured?.level ?? 0) + 1 };
  return [
    error === null
      ? { key: "interpolation_unknown", light: "fair", values }
      : { key: "interpolation", light: lightOf(error, INTERPOLATION), values },
  ];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function axes(landscape) {
  const {
    axes: kind,
    axisCosine,
    axisLengths,
  } = /** @type {import("./landscape.js").Diagnostics} */ (landscape.diagnostics);
  /** @type {Finding[]} */
  const findings = [];
  if (kind === "mindspore") findings.push({ key: "rescaled_axes", light: "fair", values: {} });
  if (Math.abs(axisCosine) > COSINE)
    findings.push({ key: "oblique_axes", light: "fair", values: { cosine: axisCosine } });
  const areUnits = axisLengths.every((length) => Math.abs(length - 1) < UNIT_TOLERANCE);
  return [
    ...findings,
    {
      key: areUnits ? "axes_unit" : "axes",
      light: "plain",
      values: { axes: kind, first: axisLengths[0] ?? NaN, second: axisLengths[1] ?? NaN, plane: planeOf(landscape) },
    },
  ];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function curvature({ diagnostics }) {
  const {
    eigenvalues,
    ritzResiduals,
    curvature: planeCurvature,
  } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  if (!eigenvalues.length) return [];
  const largest = eigenvalues.reduce((best, eigenvalue, at) => (eigenvalue > eigenvalues[best] ? at : best), 0);
  const [steepest, residual] = [eigenvalues[largest], ritzResiduals[largest]];
  const shown = Math.max(...Array.from(planeCurvature, Math.abs));
  const values = {
    steepest,
    residual,
    first: planeCurvature[0] ?? NaN,
    second: planeCurvature[1] ?? NaN,
    times: steepest / shown,
    lowest: Math.min(...eigenvalues),
  };
  if (residual > CONVERGED * Math.abs(steepest)) return [{ key: "unconverged", light: "fair", values }];
  return planeCurvature.length
    ? [
        {
          key: planeCurvature.length === 1 ? "curvature_line" : "curvature",
          light: steepest > STEEPNESS * shown ? "fair" : "good",
          values,
        },
      ]
    : [{ key: "steepest", light: "plain", values }];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function nonFiniteLosses({ measured }) {
  let [count, nonFinite] = [0, 0];
  measured?.known.forEach((isKnown, at) => {
    count += isKnown;
    if (isKnown && !Number.isFinite(measured.z[at])) nonFinite++;
  });
  return nonFinite ? [{ key: "non_finite", light: "fair", values: { n: nonFinite, of: count } }] : [];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function buffers({ diagnostics }) {
  const { buffers: policy } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  const isKnown = ["none", "moved", "frozen", "recalibrated"].includes(policy);
  return isKnown ? [{ key: `buffers_${policy}`, light: policy === "frozen" ? "fair" : "plain", values: {} }] : [];
}
