// The geometry of parallel axes: heights of places, the path of a run, and the run at a point.

import { MISSING } from "./scale.js";

/** The vertical extent of the axes, and the heights of lanes for non-finite and missing values below them.
 * @typedef {{height: number, top: number, bottom: number, nonFinite: number, missing: number}} Frame in CSS pixels from
 *   the top */

/** Space beyond the ends of an axis for thick lines. */
const PADDING = 6;
/** Half the height of a label. */
const LABEL_PADDING = 10;
const LANE_GAP = 18;
const LANE_HEIGHT = 16;

/** @param {number} height of all @param {boolean} hasNonFinite @param {boolean} hasMissing @returns {Frame} */
export function frameOf(height, hasNonFinite, hasMissing) {
  const lanes = Number(hasNonFinite) + Number(hasMissing);
  const bottom = height - LABEL_PADDING - (lanes ? LANE_GAP + (lanes - 1) * LANE_HEIGHT : 0);
  return { height, top: PADDING, bottom, nonFinite: bottom + LANE_GAP, missing: height - LABEL_PADDING };
}

/** @param {number} place 0 to 1, or NON_FINITE or MISSING @param {Frame} frame */
export function heightAt(place, { top, bottom, nonFinite, missing }) {
  return place >= 0 ? bottom - place * (bottom - top) : place === MISSING ? missing : nonFinite;
}

/** @param {number} y @param {Frame} frame */
export const placeAt = (y, { top, bottom }) => (bottom - y) / (bottom - top);

/** A run's line through all axes, as SVG path data.
 * @param {readonly Float32Array[]} axes places of all runs @param {number} row @param {number} spacing
 * @param {Frame} frame */
export const pathOf = (axes, row, spacing, frame) =>
  axes
    .map((places, at) => `${at ? "L" : "M"}${(at * spacing).toFixed(1)} ${heightAt(places[row], frame).toFixed(1)}`)
    .join("");

/** The row whose line is closest to a point; null if none is within `maxDistance` pixels.
 * @param {readonly Float32Array[]} axes @param {readonly number[]} rows @param {number} x @param {number} y
 * @param {number} spacing @param {Frame} frame @param {number} maxDistance */
export function rowAt(axes, rows, x, y, spacing, frame, maxDistance) {
  const at = Math.max(0, Math.min(axes.length - 2, Math.floor(x / spacing)));
  if (axes.length < 2) return null;
  const share = x / spacing - at;
  const [left, right] = [axes[at], axes[at + 1]];
  let closest = null;
  let nearest = maxDistance;
  for (const row of rows) {
    const from = heightAt(left[row], frame);
    const distance = Math.abs(from + (heightAt(right[row], frame) - from) * share - y);
    if (distance < nearest) [closest, nearest] = [row, distance];
  }
  return closest;
}
