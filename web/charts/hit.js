// Which points lie under the cursor: one of every run that reaches there, and the run that is nearest.

import { heightAt, nearest } from "../lib/search.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projection} Projection */

/** A run's point at the cursor. @typedef {{line: Line, index: number}} Hit */

/** A run takes part while the cursor is no further than this beside its ends. */
const REACH = 14;
/** A run stands out while the cursor is no further than this from its line. */
const GRASP = 40;

/** @param {Line[]} lines @param {number} x @param {number} perPixel x units a CSS pixel spans @returns {Hit[]} */
export function hitsAt(lines, x, perPixel) {
  const hits = [];
  for (const line of lines) {
    const { xs } = line;
    const reach = REACH * perPixel;
    if (!xs.length || x < xs[0] - reach || x > xs[xs.length - 1] + reach) continue;
    hits.push({ line, index: nearest(xs, x) });
  }
  return hits;
}

/** The hit whose line passes nearest below or above the cursor.
 * @param {Hit[]} hits @param {number} x @param {number} top CSS pixels @param {Projection} to @returns {Hit | null} */
export function nearestHit(hits, x, top, to) {
  /** @type {Hit | null} */
  let best = null;
  let distance = GRASP;
  for (const hit of hits) {
    const height = to.top(heightAt(hit.line.xs, hit.line.ys, x)) / to.pixelRatio;
    const away = Math.abs(height - top);
    if (away < distance) [best, distance] = [hit, away];
  }
  return best;
}
