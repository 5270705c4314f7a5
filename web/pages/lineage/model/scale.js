// Where values lie on an axis, from 0 at its lower end to 1: numbers evenly or by their logarithms, categories evenly spread.

import { logTicks } from "../../../charts/ticks.js";
import { meanOf } from "../../../controls/table_rows.js";
import { axisLabels } from "../../../i18n/numbers.js";

/** @typedef {import("./columns.js").Column} Column */

/** What has no place on the axis stands below it. */
export const NON_FINITE = -1;
export const MISSING = -2;

/** @typedef {object} Scale
 * @property {Column} column
 * @property {"linear" | "log" | "category"} kind
 * @property {Float32Array} places of every run: 0 to 1, NON_FINITE or MISSING
 * @property {number} lo @property {number} hi of the numbers
 */

/** Numbers that span so much, and crowd so far down, are easier told apart by their logarithms. */
const WIDE = 100;
const LOW = 0.3;

/** Can its values be drawn by their logarithms? @param {Column} column */
export const canBeLog = ({ isNumber, lo, hi }) => isNumber && lo > 0 && hi > lo;
/** @param {Column} column */
export function isUsuallyLog(column) {
  const { lo, hi, values } = column;
  if (!canBeLog(column) || hi / lo < WIDE) return false;
  const isLow = crowding.get(column) ?? ((meanOf(values)?.mean ?? NaN) - lo) / (hi - lo) < LOW;
  crowding.set(column, isLow);
  return isLow;
}

/** Columns do not change: each is measured once. @type {WeakMap<Column, boolean>} */
const crowding = new WeakMap();
/** @type {WeakMap<Column, Map<boolean, Scale>>} */
const known = new WeakMap();

/** @param {Column} column @param {boolean} isLog @returns {Scale} */
export function scaleOf(column, isLog) {
  const scales = known.get(column) ?? new Map();
  known.set(column, scales);
  const log = isLog && canBeLog(column);
  const scale = scales.get(log) ?? (column.isNumber ? numberScale(column, log) : categoryScale(column));
  scales.set(log, scale);
  return scale;
}

/** @param {Column} column @param {boolean} log @returns {Scale} */
function numberScale(column, log) {
  const alone = column.lo === column.hi;
  const room = alone ? Math.abs(column.lo) * 0.1 || 1 : 0;
  const [lo, hi] = Number.isFinite(column.lo) ? [column.lo - room, column.hi + room] : [0, 1];
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

/** The first category is the topmost, as lists are read. @param {number} at @param {number} count */
export const categoryPlace = (at, count) => (count > 1 ? 1 - (at + 0.5) / count : 0.5);

/** The place of a number, beyond 0 and 1 when it lies beyond the ends. @param {Scale} scale @param {number} value */
export function placeOf({ kind, lo, hi }, value) {
  if (kind === "log") return (Math.log(value) - Math.log(lo)) / (Math.log(hi) - Math.log(lo));
  return (value / 2 - lo / 2) / (hi / 2 - lo / 2);
}

/** The number at a place, with as many digits as the place has; beyond the ends it is infinite.
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

/** About as many ticks as there is room for.
 * @param {Scale} scale @param {number} most @returns {Tick[]} */
export function ticksOf(scale, most) {
  const { kind, column, lo, hi } = scale;
  if (kind === "category") return thinned(column.categories, most);
  const ticks = !Number.isFinite(column.lo)
    ? []
    : column.lo === column.hi
      ? [column.lo]
      : kind === "log"
        ? logTicks(lo, hi, most)
        : evenTicks(lo, hi, most);
  const labels = axisLabels(ticks);
  return ticks.map((tick, at) => ({ place: placeOf(scale, tick), text: labels[at] }));
}

/** @param {string[]} categories @param {number} most @returns {Tick[]} */
function thinned(categories, most) {
  const stride = Math.max(1, Math.ceil(categories.length / most));
  return categories.flatMap((text, at) => (at % stride ? [] : [{ place: categoryPlace(at, categories.length), text }]));
}

/** Multiples of 1, 2 or 5 of a power of ten. @param {number} lo @param {number} hi @param {number} most */
function evenTicks(lo, hi, most) {
  const least = ((hi / 2 - lo / 2) / Math.max(1, most)) * 2; // The range may be that of all doubles.
  const decade = 10 ** Math.floor(Math.log10(least));
  const increment = [1, 2, 5, 10].map((factor) => factor * decade).find((one) => one >= least * 0.999) ?? least;
  const first = Math.ceil(lo / increment - 1e-9);
  const count = Math.min(50, Math.floor(hi / increment + 1e-9) - first + 1);
  return Array.from({ length: Math.max(0, count) || 0 }, (_, at) => Number(((first + at) * increment).toPrecision(12)));
}
