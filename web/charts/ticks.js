// Ticks of axes and their labels: whole steps, durations, local times, logarithms.

import { axisLabels } from "../i18n/numbers.js";
import { clock, day } from "../i18n/times.js";

/** "value": the values of a tag. @typedef {import("../data/address.js").Axis | "value"} Axis */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;

const DECADES = Array.from({ length: 18 }, (_, power) => 10 ** power);
const WHOLE = DECADES.flatMap((decade) => [decade, 2 * decade, 5 * decade]);
/** For any numbers. */
const EVERY = Array.from({ length: 36 }, (_, power) => Number(`1e${power - 18}`)).flatMap((decade) => [
  decade,
  2 * decade,
  5 * decade,
]);
const SUBSECONDS = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1].flatMap((decade) => [decade, 2 * decade, 5 * decade]);
const SECONDS = [
  ...SUBSECONDS,
  1,
  2,
  5,
  10,
  15,
  30,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  5 * DAY,
  10 * DAY,
  20 * DAY,
  50 * DAY,
  100 * DAY,
  365 * DAY,
];

/** Are all finite values whole numbers, as counts are?
 * @param {Iterable<ArrayLike<number>>} columns */
export function areWhole(columns) {
  for (const column of columns) {
    for (let index = 0; index < column.length; index++)
      if (Number.isFinite(column[index]) && !Number.isInteger(column[index])) return false;
  }
  return true;
}

/** The possible distances of two ticks.
 * @param {Axis} axis */
export const increments = (axis) => (axis === "step" ? WHOLE : axis === "value" ? EVERY : SECONDS);

/** Ticks at round local times, not UTC.
 * @param {number} lo @param {number} hi @param {number} increment */
export function clockTicks(lo, hi, increment) {
  const zone = increment >= MINUTE ? new Date(lo * 1000).getTimezoneOffset() * 60 : 0;
  const ticks = [];
  for (let tick = Math.ceil((lo - zone) / increment) * increment + zone; tick <= hi; tick += increment)
    ticks.push(tick);
  return ticks;
}

/** Ticks of a logarithmic axis: 1, 2, 5 over few decades, else powers of ten; about `most` at most.
 * @param {number} lo @param {number} hi @param {number} most */
export function logTicks(lo, hi, most) {
  const first = Math.floor(Math.log10(lo));
  const last = Math.ceil(Math.log10(hi));
  const stride = Math.ceil((last - first) / Math.max(2, most));
  const factors = (last - first) * 3 <= most + 3 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let power = Math.ceil(first / stride) * stride; power <= last; power += stride) {
    for (const factor of factors) ticks.push(Number(`${factor}e${power}`));
  }
  const inside = ticks.filter((tick) => tick >= lo && tick <= hi);
  return inside.length ? inside : [lo, hi];
}

/** @param {Axis} axis @param {number[]} ticks @param {number} increment */
export function tickLabels(axis, ticks, increment) {
  if (axis === "step" || axis === "value") return axisLabels(ticks);
  return ticks.map(axis === "relative" ? (tick) => spanLabel(tick, increment) : (tick) => clockLabel(tick, increment));
}

/** @param {number} tick @param {number} increment */
function spanLabel(tick, increment) {
  if (increment < MINUTE) return secondsLabel(tick, increment);
  if (tick === 0) return "0";
  if (increment < HOUR) {
    const minutes = Math.round(tick / MINUTE);
    return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60 ? `${minutes % 60}m` : ""}`;
  }
  if (increment < DAY && tick < 2 * DAY) return `${Math.round(tick / HOUR)}h`;
  return `${Number((tick / DAY).toFixed(2))}d`;
}

/** @param {number} tick @param {number} increment */
function secondsLabel(tick, increment) {
  if (increment >= 1 && tick >= MINUTE) {
    const seconds = Math.round(tick % MINUTE);
    return `${Math.floor(tick / MINUTE)}m${seconds ? `${seconds}s` : ""}`;
  }
  const decimals = increment >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(increment)));
  return `${tick.toFixed(decimals)}s`;
}

/** @param {number} tick @param {number} increment */
function clockLabel(tick, increment) {
  if (increment >= DAY) return day(tick).slice(5);
  const time = clock(tick);
  if (increment >= MINUTE) return time === "00:00:00" ? day(tick).slice(5) : time.slice(0, 5);
  if (increment >= 1) return time;
  const decimals = Math.min(6, Math.ceil(-Math.log10(increment)));
  return time.slice(6) + (tick - Math.floor(tick)).toFixed(decimals).slice(1);
}
