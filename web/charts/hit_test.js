// The points under the cursor: one of each line, and the line that is nearest.

import { heightAt, nearest } from "./binary_search.js";
import { sideOf } from "./plot.js";

/** @typedef {import("./plot.js").Line} Line */
/** @typedef {import("./plot.js").Projections} Projections */

/** A line's point at the cursor. @typedef {{line: Line, index: number}} Hit */

/** Pixels beyond the ends of a line within which it still has a hit. */
const MARGIN = 14;
/** Pixels from a line within which it is highlighted. */
const SNAP = 40;

/** @param {Line[]} lines @param {number} x @param {number} perPixel x units a CSS pixel spans there @returns {Hit[]} */
export function hitsAt(lines, x, perPixel) {
  const hits = [];
  const margin = MARGIN * perPixel;
  for (const line of lines) {
    const { xs } = line;
    if (!xs.length || x < xs[0] - margin || x > xs[xs.length - 1] + margin) continue;
    hits.push({ line, index: nearest(xs, x) });
  }
  return hits;
}

/** Returns the hit whose line is vertically nearest to the cursor.
 * @param {Hit[]} hits @param {number} x @param {number} top CSS pixels @param {Projections} on @returns {Hit | null} */
export function nearestHit(hits, x, top, on) {
  /** @type {Hit | null} */
  let best = null;
  let distance = SNAP;
  for (const hit of hits) {
    const to = on[sideOf(hit.line)];
    const lineTop = to.top(heightAt(hit.line.xs, hit.line.ys, x)) / to.pixelRatio;
    const away = Math.abs(lineTop - top);
    if (away < distance) [best, distance] = [hit, away];
  }
  return best;
}
