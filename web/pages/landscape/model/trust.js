// How far a landscape can be trusted: each finding with a light and the numbers behind it.

import { planeOf } from "./plane.js";

/** @typedef {import("./landscape.js").Landscape} Landscape */

/** "good", "fair": read with care, "bad": not to be trusted, "plain": only told.
 * @typedef {"good" | "fair" | "bad" | "plain"} Light */

/** What was found; the page has words for each key and says the numbers in them.
 * @typedef {object} Finding
 * @property {string} key
 * @property {Light} light
 * @property {Readonly<Record<string, number | string>>} told
 */

/** Parts of what they are measured by, up to which a finding is good and fair. */
const RESIDUAL = [0.31, 0.6];
const GAP = [0.05, 0.2];
const INTERPOLATION = [0.02, 0.1];
const STEEPER = 10;
const SLANT = 0.05;
const UNIT = 1e-3;
/** A Ritz residual is small beside its eigenvalue. */
const SETTLED = 0.05;

/** @param {number} number @param {readonly number[]} limits @returns {Light} */
const lightOf = (number, [good, fair]) => (number <= good ? "good" : number <= fair ? "fair" : "bad");

/** @param {ArrayLike<number>} numbers not empty */
export function medianOf(numbers) {
  const sorted = Float64Array.from(numbers).sort();
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Standard error of the measured losses, at the median; NaN when it is not known. @param {Landscape} landscape */
export function noiseOf({ measured }) {
  const errors = measured
    ? measured.standardError.filter((error, at) => measured.known[at] && Number.isFinite(error))
    : [];
  return errors.length ? medianOf(errors) : NaN;
}

/** All that can be said, the gravest first; empty when the maker told nothing. @param {Landscape} landscape
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
    holes(landscape),
    buffers(landscape),
  ].flat();
  const order = ["bad", "fair", "good", "plain"];
  return findings.toSorted((one, other) => order.indexOf(one.light) - order.indexOf(other.light));
}

/** The gravest light. @param {Finding[]} findings @returns {Light} */
export const verdictOf = (findings) => findings[0]?.light ?? "plain";

/** @param {Landscape} landscape @returns {Finding[]} */
function noise(landscape) {
  const error = noiseOf(landscape);
  const {
    tally: { lo, hi },
    diagnostics,
  } = landscape;
  const told = { span: hi - lo, error, times: (hi - lo) / error, samples: diagnostics?.samples ?? 0 };
  if (diagnostics?.isFlat) return [{ key: "flat", light: "bad", told }];
  return Number.isNaN(error)
    ? [{ key: "noise_unknown", light: "plain", told }]
    : [{ key: "noise", light: "good", told }];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function path({ path: points, diagnostics }) {
  const { energy, randomWalkEnergy, isRandomWalk } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  if (!energy.length) return [{ key: "no_path", light: "plain", told: {} }];
  const sum = (/** @type {Float64Array} */ parts) => parts.reduce((all, part) => all + part, 0);
  const told = {
    energy: sum(energy),
    first: energy[0],
    second: energy[1] ?? 0,
    random: sum(randomWalkEnergy),
    random_first: randomWalkEnergy[0] ?? NaN,
    random_second: randomWalkEnergy[1] ?? 0,
    points: points?.x.length ?? 0,
  };
  return [{ key: isRandomWalk ? "random_walk" : "energy", light: isRandomWalk ? "bad" : "good", told }];
}

/** Of numbers that are finite: the median, the largest, and which checkpoint has it.
 * @param {ArrayLike<number>} numbers */
function spread(numbers) {
  const finite = Array.from(numbers)
    .map((number, at) => ({ number: Math.abs(number), at }))
    .filter(({ number }) => Number.isFinite(number));
  if (!finite.length) return null;
  const most = finite.reduce((one, other) => (other.number > one.number ? other : one));
  return { median: medianOf(finite.map(({ number }) => number)), most: most.number, at: most.at };
}

/** @param {Landscape} landscape @returns {Finding[]} */
function residuals({ truth }) {
  const found = truth && spread(truth.residual);
  return found ? [{ key: "residual", light: lightOf(found.median, RESIDUAL), told: found }] : [];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function gap({ truth }) {
  const found = truth && spread(truth.real.map((real, at) => truth.plane[at] - real));
  if (!truth || !found) return [];
  const finite = truth.real.filter(Number.isFinite);
  const span = Math.max(...finite) - Math.min(...finite);
  const noise = 2 * medianOf(truth.standardError.map((error) => (Number.isFinite(error) ? error : 0)));
  const part = found.median / span;
  return [{ key: "gap", light: found.median <= noise ? "good" : lightOf(part, GAP), told: { ...found, span, part } }];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function interpolation({ diagnostics, measured }) {
  const error = diagnostics?.interpolationError ?? null;
  const told = { error: error ?? NaN, nodes: 2 ** (measured?.level ?? 0) + 1 };
  return [
    error === null
      ? { key: "interpolation_unknown", light: "fair", told }
      : { key: "interpolation", light: lightOf(error, INTERPOLATION), told },
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
  const found = [];
  if (kind === "mindspore") found.push({ key: "bent", light: "fair", told: {} });
  if (Math.abs(axisCosine) > SLANT) found.push({ key: "slanted", light: "fair", told: { cosine: axisCosine } });
  const areUnits = axisLengths.every((length) => Math.abs(length - 1) < UNIT);
  return [
    ...found,
    {
      key: areUnits ? "axes_unit" : "axes",
      light: "plain",
      told: { axes: kind, first: axisLengths[0] ?? NaN, second: axisLengths[1] ?? NaN, plane: planeOf(landscape) },
    },
  ];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function curvature({ diagnostics }) {
  const {
    eigenvalues,
    ritzResiduals,
    curvature: bends,
  } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  if (!eigenvalues.length) return [];
  const largest = eigenvalues.reduce((one, other, at) => (other > eigenvalues[one] ? at : one), 0);
  const [steepest, residual] = [eigenvalues[largest], ritzResiduals[largest]];
  const shown = Math.max(...Array.from(bends, Math.abs));
  const told = {
    steepest,
    residual,
    first: bends[0] ?? NaN,
    second: bends[1] ?? NaN,
    times: steepest / shown,
    lowest: Math.min(...eigenvalues),
  };
  if (residual > SETTLED * Math.abs(steepest)) return [{ key: "unsettled", light: "fair", told }];
  return bends.length
    ? [
        {
          key: bends.length === 1 ? "curvature_line" : "curvature",
          light: steepest > STEEPER * shown ? "fair" : "good",
          told,
        },
      ]
    : [{ key: "steepest", light: "plain", told }];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function holes({ measured }) {
  let [known, odd] = [0, 0];
  measured?.known.forEach((isKnown, at) => {
    known += isKnown;
    if (isKnown && !Number.isFinite(measured.z[at])) odd++;
  });
  return odd ? [{ key: "holes", light: "fair", told: { n: odd, of: known } }] : [];
}

/** @param {Landscape} landscape @returns {Finding[]} */
function buffers({ diagnostics }) {
  const { buffers: policy } = /** @type {import("./landscape.js").Diagnostics} */ (diagnostics);
  const isKnown = ["none", "moved", "frozen", "recalibrated"].includes(policy);
  return isKnown ? [{ key: `buffers_${policy}`, light: policy === "frozen" ? "fair" : "plain", told: {} }] : [];
}
