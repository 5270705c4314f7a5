// The geometry of parallel axes: heights of places, the path of a run, and the run at a point.

import { shortened } from "../../data/runs/short_names.js";
import { MISSING } from "./scale.js";

/** The vertical extent of the axes, and the heights of lanes for non-finite and missing values below them.
 * @typedef {{height: number, top: number, bottom: number, nonFinite: number, missing: number}} Frame in CSS pixels from
 *   the top */

/** What is drawn; changes are detected by identity.
 * @typedef {object} Axes
 * @property {readonly import("./scale.js").Scale[]} scales from left to right
 * @property {Frame} frame
 * @property {number} spacing in CSS pixels
 * @property {readonly number[]} rows all visible rows
 * @property {readonly number[]} kept the highlighted ones among them
 * @property {{rgb: import("../../charts/rgb.js").Rgb[], byRow: Uint8Array}} colours
 * @property {readonly string[]} runs by row
 */

/** Margins for the labels of the first and the last axis. */
export const LEFT_MARGIN = 48;
export const RIGHT_MARGIN = 76;
/** Space beyond the ends of an axis for thick lines. */
const PADDING = 6;
/** Half the height of a label. */
const LABEL_PADDING = 10;
const LANE_GAP = 18;
const LANE_HEIGHT = 16;
/** Between a name and its neighbours. */
const BESIDE_NAME = 12;
const LETTER = 7;

/** @param {number} width of all @param {number} count of axes */
export const spacingOf = (width, count) => (width - LEFT_MARGIN - RIGHT_MARGIN) / Math.max(1, count - 1);

/** @param {number} height of all @param {ReadonlyArray<{column: Pick<import("./columns.js").Column, "hasNonFinite" | "hasMissing">}>} scales @returns {Frame} */
export function frameOf(height, scales) {
  const lanes = /** @type {const} */ (["hasNonFinite", "hasMissing"]).filter((lane) =>
    scales.some(({ column }) => column[lane]),
  ).length;
  const bottom = height - LABEL_PADDING - (lanes ? LANE_GAP + (lanes - 1) * LANE_HEIGHT : 0);
  return { height, top: PADDING, bottom, nonFinite: bottom + LANE_GAP, missing: height - LABEL_PADDING };
}

/** What axes are called in the room that each has: the first name starts at the left edge, the others are centred.
 * @param {readonly string[]} names @param {number} spacing */
export const axisNames = (names, spacing) =>
  shortened(names, Math.max(3, Math.floor((Math.min(spacing, (spacing + LEFT_MARGIN) / 1.5) - BESIDE_NAME) / LETTER)));

/** @param {number} place 0 to 1, or NON_FINITE or MISSING @param {Frame} frame */
export function heightAt(place, { top, bottom, nonFinite, missing }) {
  return place >= 0 ? bottom - place * (bottom - top) : place === MISSING ? missing : nonFinite;
}

/** @param {number} y @param {Frame} frame */
export const placeAt = (y, { top, bottom }) => (bottom - y) / (bottom - top);

/** A run's line through all axes, as SVG path data.
 * @param {Pick<Axes, "scales" | "spacing" | "frame">} axes @param {number} row */
export const pathOf = ({ scales, spacing, frame }, row) =>
  scales
    .map(({ places }, at) => `${at ? "L" : "M"}${(at * spacing).toFixed(1)} ${heightAt(places[row], frame).toFixed(1)}`)
    .join("");

/** The kept row whose line is closest to a point; null if none is within `maxDistance` pixels.
 * @param {Pick<Axes, "scales" | "spacing" | "frame" | "kept">} axes @param {number} x @param {number} y
 * @param {number} maxDistance */
export function rowAt({ scales, spacing, frame, kept }, x, y, maxDistance) {
  const at = Math.max(0, Math.min(scales.length - 2, Math.floor(x / spacing)));
  if (scales.length < 2) return null;
  const share = x / spacing - at;
  const [left, right] = [scales[at].places, scales[at + 1].places];
  let closest = null;
  let nearest = maxDistance;
  for (const row of kept) {
    const from = heightAt(left[row], frame);
    const distance = Math.abs(from + (heightAt(right[row], frame) - from) * share - y);
    if (distance < nearest) [closest, nearest] = [row, distance];
  }
  return closest;
}
