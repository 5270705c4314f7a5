// Scales map values to places on an axis, from 0 at its lower end to 1: linear, logarithmic, or by category.

import { axisTicks } from "../../charts/ticks.js";
import { isLogBetter } from "../../data/series/log_rule.js";
import { shortNumber } from "../../i18n/numbers.js";
import { meanOf } from "../mean.js";

/** @typedef {import("./columns.js").Column} Column */

/** Places of values that are drawn below the axis. */
export const NON_FINITE = -1;
export const MISSING = -2;

/** @typedef {object} Scale
 * @property {Column} column
 * @property {"linear" | "log" | "category"} kind
 * @property {Float32Array} places of every run: 0 to 1, NON_FINITE or MISSING
 * @property {number} lo @property {number} hi of the numbers
 */

/** Whether a logarithmic axis is possible. @param {Column} column */
export const canBeLog = ({ isNumber, lo, hi }) => isNumber && lo > 0 && hi > lo;
/** @param {Column} column */
export function isLogByDefault(column) {
  const { lo, hi, values } = column;
  if (!canBeLog(column)) return false;
  const isLow = isLogByColumn.get(column) ?? isLogBetter(lo, hi, () => meanOf(values)?.mean ?? NaN);
  isLogByColumn.set(column, isLow);
  return isLow;
}

/** Caches: columns never change. @type {WeakMap<Column, boolean>} */
const isLogByColumn = new WeakMap();
/** @type {WeakMap<Column, Map<boolean, Scale>>} */
const scaleCache = new WeakMap();

/** @param {Column} column @param {boolean} isLog @returns {Scale} */
export function scaleOf(column, isLog) {
  const scales = scaleCache.get(column) ?? new Map();
  scaleCache.set(column, scales);
  const log = isLog && canBeLog(column);
  const scale = scales.get(log) ?? (column.isNumber ? numberScale(column, log) : categoryScale(column));
  scales.set(log, scale);
  return scale;
}

/** @param {Column} column @param {boolean} log @returns {Scale} */
function numberScale(column, log) {
  const isSingleValue = column.lo === column.hi;
  const padding = isSingleValue ? Math.abs(column.lo) * 0.1 || 1 : 0;
  const [lo, hi] = Number.isFinite(column.lo) ? [column.lo - padding, column.hi + padding] : [0, 1];
  /** @type {Scale} */
  const scale = { column, kind: log ? "log" : "linear", places: new Float32Array(column.values.length), lo, hi };
  column.values.forEach((value, row) => {
    scale.places[row] = value === null ? MISSING : Number.isFinite(value) ? placeOf(scale, Number(value)) : NON_FINITE;
  });
  return scale;
}

/** @param {Column} column @returns {Scale} */
function categoryScale(column) {
  const { categories, values } = column;
  const order = new Map(categories.map((category, at) => [category, categoryPlace(at, categories.length)]));
  return {
    column,
    kind: "category",
    lo: 0,
    hi: 1,
    places: Float32Array.from(values, (value) => (value === null ? MISSING : (order.get(String(value)) ?? MISSING))),
  };
}

/** The first category is at the top. @param {number} at @param {number} count */
export const categoryPlace = (at, count) => (count > 1 ? 1 - (at + 0.5) / count : 0.5);

/**
 * The place of a number; outside of 0 to 1 if the number is beyond the ends.
 * @param {Scale} scale @param {number} value
 */
export function placeOf({ kind, lo, hi }, value) {
  if (kind === "log") return (Math.log(value) - Math.log(lo)) / (Math.log(hi) - Math.log(lo));
  return (value / 2 - lo / 2) / (hi / 2 - lo / 2);
}

/** The number at a place, rounded to the resolution of the axis; infinite at and beyond the ends.
 * @param {Scale} scale @param {number} place */
export function valueAt({ kind, lo, hi }, place) {
  if (place <= 0) return -Infinity;
  if (place >= 1) return Infinity;
  if (kind === "log") return Number(Math.exp(Math.log(lo) * (1 - place) + Math.log(hi) * place).toPrecision(4));
  const value = lo * (1 - place) + hi * place;
  const unit = 10 ** Math.floor(Math.log10((hi / 2 - lo / 2) / 500));
  const rounded = Math.round(value / unit) * unit;
  return Number.isFinite(rounded) ? Number(rounded.toPrecision(12)) : value;
}

/** @typedef {{place: number, text: string}} Tick */

/** Ticks for the length of an axis in pixels; of categories, one in `space` pixels. An offset is part of the first text.
 * @param {Scale} scale @param {{length: number, isVertical: boolean, space: number}} room @returns {Tick[]} */
export function ticksOf(scale, { length, isVertical, space }) {
  const { kind, column, lo, hi } = scale;
  if (kind === "category") return categoryTicks(column.categories, Math.max(1, Math.floor(length / space)));
  if (!Number.isFinite(column.lo)) return [];
  if (column.lo === column.hi) return [{ place: placeOf(scale, column.lo), text: shortNumber(column.lo, 6) }];
  const { ticks, labels, offset } = axisTicks("value", [lo, hi], { length, isVertical, space, log: kind === "log" });
  return ticks.map((tick, at) => ({
    place: placeOf(scale, tick),
    text: at === 0 && offset ? `${offset} ${labels[at]}` : labels[at],
  }));
}

/** @param {string[]} categories @param {number} maxTicks @returns {Tick[]} */
function categoryTicks(categories, maxTicks) {
  const stride = Math.max(1, Math.ceil(categories.length / maxTicks));
  return categories.flatMap((text, at) => (at % stride ? [] : [{ place: categoryPlace(at, categories.length), text }]));
}
