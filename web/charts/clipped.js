// What a y range leaves out of the lines: the spikes beyond it.

import { lowerBound } from "./binary_search.js";
import { robustRange } from "./extent.js";
import { sideOf } from "./plot.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Heights} Heights */
/** @typedef {import("../data/view/address.js").Window} Window */

/** The spikes of a line, by the x of their first points: those above the y range, and those below it.
 * @typedef {{line: Line, above: number[], below: number[]}} Clipped */

/** How far the noise of raw values reaches beyond most of them, as a share of their range. */
const NOISE = 1;

/** Returns the lines with spikes in a window. A spike is what is drawn of consecutive points beyond the y range; of a
 * smoothed line, points that are also beyond most of its raw ones: its noise may fill the chart. Points that have no place
 * on a logarithmic axis are none.
 * @param {Line[]} lines @param {Window} window @param {Heights} heights @param {boolean} log @returns {Clipped[]} */
export const clippedOf = (lines, window, heights, log) =>
  lines.flatMap((line) => {
    const range = heights[sideOf(line)];
    const clipped = range && spikesOf(line, window, range, log ? 0 : -Infinity);
    return clipped && clipped.above.length + clipped.below.length ? [clipped] : [];
  });

/** @param {Line} line @param {Window} window @param {Window} range @param {number} bottom below all places
 * @returns {Clipped} */
function spikesOf(line, [left, right], [low, high], bottom) {
  const { xs, raw } = line;
  const [begin, end] = [lowerBound(xs, left), lowerBound(xs, right + (right - left) * 1e-9)];
  const values = (raw ?? line.ys).subarray(begin, end);
  const [least, most] = raw ? robustRange([...values].filter(Number.isFinite), NOISE) : [Infinity, -Infinity];
  const starts = (/** @type {(value: number) => boolean} */ isBeyond) => {
    const found = [];
    for (let at = 0; at < values.length; at++)
      if (isBeyond(values[at]) && !(at && isBeyond(values[at - 1]))) found.push(xs[begin + at]);
    return found;
  };
  return {
    line,
    above: starts((value) => value > high && value > most && value < Infinity),
    below: starts((value) => value < low && value < least && value > bottom),
  };
}

/** @typedef {{above: number, below: number}} Counts of spikes */

/** @param {readonly Clipped[]} clipped @returns {Counts} */
export const countSpikes = (clipped) =>
  clipped.reduce((sum, { above, below }) => ({ above: sum.above + above.length, below: sum.below + below.length }), {
    above: 0,
    below: 0,
  });
