// Precision-recall curves: their points at a threshold, the nearest point to the pointer, and their outlines.

/** What the server sends of a curve; lists of one number for each threshold, NaN as text.
 * @typedef {object} CurveEntry
 * @property {number} step
 * @property {number} wall_time
 * @property {Array<number | string>} thresholds ascending
 * @property {Array<number | string>} true_positives
 * @property {Array<number | string>} false_positives
 * @property {Array<number | string>} true_negatives
 * @property {Array<number | string>} false_negatives
 * @property {Array<number | string>} precision
 * @property {Array<number | string>} recall
 * @property {number | string} average_precision
 */

/** One threshold of a curve.
 * @typedef {{threshold: number, precision: number, recall: number, truePositives: number, falsePositives: number,
 * trueNegatives: number, falseNegatives: number}} CurvePoint */

/** The curve at one step.
 * @typedef {{step: number, wallTime: number, averagePrecision: number, points: CurvePoint[]}} Moment */

/** If a step was recorded more than once, the last curve counts.
 * @param {readonly CurveEntry[]} entries ascending by step @returns {Moment[]} */
export const momentsOf = (entries) =>
  entries
    .filter(({ step }, place) => step !== entries[place + 1]?.step)
    .map((entry) => ({
      step: entry.step,
      wallTime: entry.wall_time,
      averagePrecision: Number(entry.average_precision),
      points: entry.thresholds.map((threshold, at) => ({
        threshold: Number(threshold),
        precision: Number(entry.precision[at]),
        recall: Number(entry.recall[at]),
        truePositives: Number(entry.true_positives[at]),
        falsePositives: Number(entry.false_positives[at]),
        trueNegatives: Number(entry.true_negatives[at]),
        falseNegatives: Number(entry.false_negatives[at]),
      })),
    }));

/** @param {CurvePoint} point */
const isDrawn = ({ precision, recall }) => Number.isFinite(precision) && Number.isFinite(recall);

/** The point whose threshold is nearest; undefined if the curve has none.
 * @param {readonly CurvePoint[]} points by threshold @param {number} threshold */
export function pointAt(points, threshold) {
  let best = points[0];
  for (const point of points)
    if (Math.abs(point.threshold - threshold) < Math.abs(best.threshold - threshold)) best = point;
  return best;
}

/** The point of any of the curves that is nearest to a place; null if none has any.
 * @param {ReadonlyArray<readonly CurvePoint[]>} curves @param {{recall: number, precision: number}} place
 * @param {{width: number, height: number}} size of the chart in pixels */
export function nearestPoint(curves, place, { width, height }) {
  /** @type {CurvePoint | null} */
  let best = null;
  let least = Infinity;
  for (const point of curves.flat()) {
    const distance = Math.hypot((point.recall - place.recall) * width, (point.precision - place.precision) * height);
    if (distance < least) [best, least] = [point, distance];
  }
  return best;
}

/** Precision over recall as the path of an SVG; a gap where a number is not finite.
 * @param {readonly CurvePoint[]} points @param {{left: (recall: number) => number, top: (precision: number) => number}}
 * scale */
export function pathOf(points, { left, top }) {
  let path = "";
  let pen = "M";
  for (const point of points) {
    if (isDrawn(point)) path += `${pen}${left(point.recall).toFixed(1)} ${top(point.precision).toFixed(1)}`;
    pen = isDrawn(point) ? "L" : "M";
  }
  return path;
}

/** The thresholds of all curves, each once, ascending. @param {ReadonlyArray<readonly CurvePoint[]>} curves */
export const thresholdsOf = (curves) =>
  [...new Set(curves.flat().map(({ threshold }) => threshold))].sort((a, b) => a - b);

/** The threshold so many places after another, for the arrow keys.
 * @param {readonly number[]} thresholds ascending @param {number} from @param {number} by */
export function thresholdBeside(thresholds, from, by) {
  if (!thresholds.length) return from;
  const later = thresholds.findIndex((threshold) => threshold > from + 1e-9);
  const at = (later < 0 ? thresholds.length : later) - 1;
  const isOn = at >= 0 && Math.abs(thresholds[at] - from) < 1e-4;
  const place = by < 0 && !isOn ? at + by + 1 : at + by;
  return thresholds[Math.min(thresholds.length - 1, Math.max(0, place))];
}
