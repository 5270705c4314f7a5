// What the read-out shows of each line: its point at one step, or the nearest drawn one, which says its step.

import { nearest } from "./binary_search.js";
import { keyOf } from "./plot.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./hit_test.js").Hit} Hit */
/** @typedef {import("../data/series/series.js").Series} Series */

/** A point of a line. `drawn` is the value that the chart draws: the smoothed one, if any.
 * @typedef {{step: number, wallTime: number, value: number, drawn: number}} Point */
/** `isElsewhere`: the line has no known point at the step of the read-out. `index` is that of the nearest drawn point.
 * @typedef {Point & {line: Line, index: number, isElsewhere: boolean}} Reading */

/** The step that a read-out is about: that of the pointed line, or else the nearest of all lines.
 * @param {Hit[]} hits not empty @param {Hit | null} best @param {number} x */
export function stepOf(hits, best, x) {
  const steps = (best ? [best] : hits).map(({ line, index }) => line.xs[index]);
  return steps.reduce((a, b) => (Math.abs(b - x) < Math.abs(a - x) ? b : a));
}

/** @param {Hit[]} hits @param {number | null} step null = each line shows its point of the hit
 * @param {ReadonlyMap<string, Point>} exact points at the step by line, whether drawn or not @returns {Reading[]} */
export const readingsOf = (hits, step, exact) =>
  hits.map((hit) => {
    const { line } = hit;
    const index = step === null ? hit.index : nearest(line.xs, step);
    const known = exact.get(keyOf(line));
    if (step !== null && known && line.xs[index] !== step) return { ...known, line, index, isElsewhere: false };
    const point = pointAt(line.series, index, line.ys[index]);
    return { ...point, line, index, isElsewhere: step !== null && point.step !== step };
  });

/** @param {Series} series @param {number} index @param {number} drawn @returns {Point} */
export const pointAt = (series, index, drawn) => ({
  step: series.step[index],
  wallTime: series.wall_time[index],
  value: series.value[index],
  drawn,
});

/** The lines that may have a point at a step that is not drawn.
 * @param {Hit[]} hits @param {number} step */
export const undrawnAt = (hits, step) =>
  hits.flatMap(({ line }) => (isDownsampled(line.series) && line.xs[nearest(line.xs, step)] !== step ? [line] : []));

/** @param {Series} series */
const isDownsampled = ({ band, step, total, duplicates }) => !band && step.length + duplicates < total;
