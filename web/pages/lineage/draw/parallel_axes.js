// Where things stand among parallel axes: heights of places, the path of a run, the run under a point.

import { MISSING } from "../model/scale.js";

/** How high the axes are, and where below them stand values that have no place on them.
 * @typedef {{height: number, top: number, bottom: number, nonFinite: number, missing: number}} Frame in CSS pixels from the top */

/** Half a line beyond the ends of an axis. */
const AIR = 6;
/** Half a label. */
const FOOT = 10;
const GAP = 18;
const LANE = 16;

/** @param {number} height of all @param {boolean} hasNonFinite @param {boolean} hasMissing @returns {Frame} */
export function frameOf(height, hasNonFinite, hasMissing) {
  const lanes = Number(hasNonFinite) + Number(hasMissing);
  const bottom = height - FOOT - (lanes ? GAP + (lanes - 1) * LANE : 0);
  return { height, top: AIR, bottom, nonFinite: bottom + GAP, missing: height - FOOT };
}

/** @param {number} place 0 to 1, or one of those that are none @param {Frame} frame */
export function heightAt(place, { top, bottom, nonFinite, missing }) {
  return place >= 0 ? bottom - place * (bottom - top) : place === MISSING ? missing : nonFinite;
}

/** @param {number} y @param {Frame} frame */
export const placeAt = (y, { top, bottom }) => (bottom - y) / (bottom - top);

/** A run's line through all axes, as SVG path data.
 * @param {readonly Float32Array[]} axes places of all runs @param {number} row @param {number} spacing @param {Frame} frame */
export const pathOf = (axes, row, spacing, frame) =>
  axes
    .map((places, at) => `${at ? "L" : "M"}${(at * spacing).toFixed(1)} ${heightAt(places[row], frame).toFixed(1)}`)
    .join("");

/** The row whose line passes nearest to a point; null when none does within `reach` pixels.
 * @param {readonly Float32Array[]} axes @param {readonly number[]} rows @param {number} x @param {number} y @param {number} spacing @param {Frame} frame @param {number} reach */
export function rowUnder(axes, rows, x, y, spacing, frame, reach) {
  const at = Math.max(0, Math.min(axes.length - 2, Math.floor(x / spacing)));
  if (axes.length < 2) return null;
  const share = x / spacing - at;
  const [left, right] = [axes[at], axes[at + 1]];
  let found = null;
  let nearest = reach;
  for (const row of rows) {
    const from = heightAt(left[row], frame);
    const distance = Math.abs(from + (heightAt(right[row], frame) - from) * share - y);
    if (distance < nearest) [found, nearest] = [row, distance];
  }
  return found;
}
