// The ticks of an axis: three to eight round places whose labels differ and do not overlap, for any finite range.

import { logDistance } from "./log_distance.js";
import { logTicks } from "./log_ticks.js";
import { FEWEST, MOST, numberTicks } from "./number_ticks.js";
import { clockTicks, logSpanTicks, spanTicks } from "./time_ticks.js";

/** "value": the values of a tag. @typedef {import("../data/view/address.js").Axis | "value"} Axis */
/** @typedef {import("./number_ticks.js").Ticks} Ticks */

/** How much room an axis has.
 * @typedef {object} Room
 * @property {number} length in pixels
 * @property {boolean} [isVertical] absent = labels stand beside each other
 * @property {boolean} [log]
 * @property {boolean} [isWhole] no tick is between whole numbers
 * @property {number} [space] pixels from tick to tick, about */

/** @type {Ticks} */
const NO_TICKS = { ticks: [], labels: [], offset: "" };
/** Between labels, in pixels. */
const GAP = 5;
const LINE_HEIGHT = 13;
const SPACES = { wall_time: 84, relative: 64, active: 64, relative_step: 64, step: 64, value: 64 };
const VERTICAL_SPACE = 38;
/** The widths of characters at 11 px in the widest of the fonts of the page. */
const NARROW = 4;
const DIGIT = 7;
const WIDE = 11;

/** Are all finite values whole numbers, as counts are?
 * @param {Iterable<ArrayLike<number>>} columns */
export function areWhole(columns) {
  for (const column of columns) {
    for (let index = 0; index < column.length; index++)
      if (Number.isFinite(column[index]) && !Number.isInteger(column[index])) return false;
  }
  return true;
}

/** Does a range contain enough whole numbers for the labels? @param {readonly [number, number]} range */
export const containsCounts = ([lo, hi]) => Math.floor(hi) - Math.ceil(lo) >= FEWEST - 1;

/** @param {Axis} axis @param {readonly [number, number]} window @param {Room} room @returns {Ticks} */
export function axisTicks(axis, window, room) {
  const all = [];
  for (const ticks of candidates(axis, window, room)) {
    if (new Set(ticks.labels).size < ticks.labels.length) continue;
    all.push(ticks);
    if (spread(ticks, window, room).length === ticks.ticks.length) return ticks;
  }
  const thinned = all.map((ticks) => ({ ticks, kept: spread(ticks, window, room) }));
  const { ticks, kept } = thinned.find((each) => each.kept.length >= FEWEST) ??
    thinned[0] ?? { ticks: NO_TICKS, kept: [] };
  return { ticks: kept.map((at) => ticks.ticks[at]), labels: kept.map((at) => ticks.labels[at]), offset: ticks.offset };
}

/** @param {Axis} axis @param {readonly [number, number]} window @param {Room} room */
function candidates(axis, [lo, hi], { length, isVertical = false, log = false, isWhole = false, space }) {
  const distance = space ?? (isVertical ? VERTICAL_SPACE : SPACES[axis]);
  const most = Math.max(FEWEST, Math.min(MOST, Math.floor(length / distance) + 1));
  if (axis === "wall_time") return clockTicks(lo, hi, most);
  if (axis === "relative" || axis === "active") return (log && lo > 0 ? logSpanTicks : spanTicks)(lo, hi, most);
  if (log && lo > 0) return logTicks(lo, hi, most);
  return numberTicks(lo, hi, most, isWhole || axis === "step" || axis === "relative_step");
}

/** Returns the places of the labels that do not overlap those before. @param {Ticks} ticks
 * @param {readonly [number, number]} window @param {Room} room */
function spread({ ticks, labels }, window, { length, isVertical = false, log = false }) {
  const kept = [];
  let end = -Infinity;
  for (const [at, tick] of ticks.entries()) {
    const place = length * shareOf(tick, window, log);
    const half = isVertical ? LINE_HEIGHT / 2 : (labelWidth(labels[at]) + GAP) / 2;
    if (place - half < end) continue;
    kept.push(at);
    end = place + half;
  }
  return kept;
}

/** The place of a value in a range, from 0 to 1. @param {number} value @param {readonly [number, number]} window
 * @param {boolean} log */
export function shareOf(value, [lo, hi], log) {
  if (log && lo > 0) return logDistance(lo, hi)(value) / logDistance(lo, hi)(hi);
  return (value / 2 - lo / 2) / (hi / 2 - lo / 2); // Halves avoid overflow.
}

/** The width of a label, in pixels, at most. @param {string} label */
export function labelWidth(label) {
  let width = 0;
  for (const character of label)
    width += ".,:-− ".includes(character) ? NARROW : "mMG…₁₀".includes(character) ? WIDE : DIGIT;
  return width;
}
