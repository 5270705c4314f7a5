// Which points lie under the cursor: one of every run that reaches there, and the run that is nearest.

import { sideOf } from "./plot.js";
import { heightAt, nearest } from "./search.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projections} Projections */

/** A run's point at the cursor. @typedef {{line: Line, index: number}} Hit */

/** A run takes part while the cursor is no further than this beside its ends. */
const REACH = 14;
/** A run stands out while the cursor is no further than this from its line. */
const GRASP = 40;

/** @param {Line[]} lines @param {number} x @param {number} perPixel x units a CSS pixel spans there @returns {Hit[]} */
export function hitsAt(lines, x, perPixel) {
  const hits = [];
  const reach = REACH * perPixel;
  for (const line of lines) {
    const { xs } = line;
    if (!xs.length || x < xs[0] - reach || x > xs[xs.length - 1] + reach) continue;
    hits.push({ line, index: nearest(xs, x) });
  }
  return hits;
}

/** The hit whose line passes nearest below or above the cursor.
 * @param {Hit[]} hits @param {number} x @param {number} top CSS pixels @param {Projections} on @returns {Hit | null} */
export function nearestHit(hits, x, top, on) {
  /** @type {Hit | null} */
  let best = null;
  let distance = GRASP;
  for (const hit of hits) {
    const to = on[sideOf(hit.line)];
    const height = to.top(heightAt(hit.line.xs, hit.line.ys, x)) / to.pixelRatio;
    const away = Math.abs(height - top);
    if (away < distance) [best, distance] = [hit, away];
  }
  return best;
}
