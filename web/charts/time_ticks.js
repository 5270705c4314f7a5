// Ticks of times: durations since a run began, and local times by the clock and the calendar.

import { clock, day } from "../i18n/times.js";
import { logTicks } from "./log_ticks.js";
import { closestFirst, FEWEST, MOST, numberTicks } from "./number_ticks.js";

/** @typedef {import("./number_ticks.js").Ticks} Ticks */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86400;
const MONTH = 30.436875 * DAY;
const SUBSECONDS = [-6, -5, -4, -3, -2, -1].flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`)));
const SECONDS = [1, 2, 5, 10, 15, 30];
const MINUTES = [1, 2, 5, 10, 15, 30].map((count) => count * MINUTE);
const HOURS = [1, 2, 3, 6, 12].map((count) => count * HOUR);
const DAYS = [1, 2, 5, 10, 20].map((count) => count * DAY);
const LONG = [1, 2, 3, 4, 5, 6].flatMap((power) => [5, 10, 20].map((factor) => factor * 10 ** power * DAY));
const SPANS = [...SUBSECONDS, ...SECONDS, ...MINUTES, ...HOURS, ...DAYS, ...LONG];
/** About tenfold from one to the next. */
const DECADES = [-6, -5, -4, -3, -2, -1, 0, 1].map((power) => Number(`1e${power}`));
DECADES.push(MINUTE, 10 * MINUTE, HOUR, 10 * HOUR, ...[0, 1, 2, 3, 4, 5, 6].map((power) => 10 ** power * DAY));
/** Distances of local times; months and years are of different lengths. */
const CLOCK = [...SUBSECONDS, ...SECONDS, ...MINUTES, ...HOURS, ...DAYS.slice(0, 4)];
const YEARS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
const MONTHS = [1, 2, 3, 6, ...YEARS.map((years) => 12 * years)];

/** Yields ticks of durations in seconds, about as many as wanted first.
 * @param {number} lo @param {number} hi @param {number} most @returns {Generator<Ticks>} */
export function* spanTicks(lo, hi, most) {
  const sets = SPANS.filter((distance) => hi - lo < distance * 2 * MOST).map((distance) => ({
    distance,
    ticks: multiples(lo, hi, distance),
  }));
  for (const ticks of closestFirst(sets.map((set) => set.ticks).filter(isSet), most)) {
    const distance = sets.find((set) => set.ticks === ticks)?.distance ?? 1;
    yield { ticks, labels: ticks.map((tick) => spanLabel(tick, distance)), offset: "" };
  }
  yield* withUnit(numberTicks(lo, hi, most, false));
}

/** Yields ticks of durations in seconds on a logarithmic axis, about as many as wanted first.
 * @param {number} lo above zero @param {number} hi @param {number} most @returns {Generator<Ticks>} */
export function* logSpanTicks(lo, hi, most) {
  const strides = [1, 2, 3, 4, 5].map((stride) => DECADES.filter((_, place) => place % stride === 0));
  const sets = [SPANS, ...strides]
    .map((spans) => spans.filter((span) => span >= lo && span <= hi))
    .filter(({ length }) => length >= FEWEST && length <= MOST);
  for (const ticks of closestFirst(sets, most))
    yield { ticks, labels: ticks.map((tick) => spanLabel(tick, tick)), offset: "" };
  yield* withUnit(logTicks(lo, hi, most));
}

/** Yields ticks at round local times, in seconds since 1970, about as many as wanted first.
 * @param {number} lo @param {number} hi @param {number} most @returns {Generator<Ticks>} */
export function* clockTicks(lo, hi, most) {
  /** @type {Map<number[], Labelling[]>} */
  const labellings = new Map();
  for (const distance of CLOCK)
    if (hi - lo < distance * 2 * MOST) labellings.set(clockMultiples(lo, hi, distance), clockLabels(distance));
  for (const months of MONTHS)
    if (hi - lo < months * MONTH * 2 * MOST) labellings.set(monthMultiples(lo, hi, months), monthLabels(months));
  for (const ticks of closestFirst([...labellings.keys()].filter(isSet), most))
    for (const labelling of labellings.get(ticks) ?? []) yield withOffset(ticks, labelling);
  const begin = Math.floor(lo);
  for (const { ticks, labels, offset } of withUnit(numberTicks(lo - begin, hi - begin, most, false)))
    yield { ticks: ticks.map((tick) => tick + begin), labels, offset: `${day(begin)} ${clock(begin)} + ${offset}` };
}

/** @param {number[]} ticks */
const isSet = ({ length }) => length >= FEWEST && length <= MOST;

/** Numbers of seconds. @param {Generator<Ticks>} numbers @returns {Generator<Ticks>} */
function* withUnit(numbers) {
  for (const { ticks, labels, offset } of numbers) yield { ticks, labels, offset: offset ? `${offset} s` : "s" };
}

/** More than the most if there are more. @param {number} lo @param {number} hi @param {number} distance */
function multiples(lo, hi, distance) {
  const first = Math.ceil(lo / distance - 1e-9);
  const count = Math.floor(hi / distance + 1e-9) - first + 1;
  const length = Math.max(0, Math.min(count, MOST + 1));
  return Array.from({ length }, (_, place) => (first + place) * distance).filter(
    (tick) => tick >= lo - distance * 1e-9 && tick <= hi + distance * 1e-9,
  );
}

/** @param {number} lo @param {number} hi @param {number} distance */
function clockMultiples(lo, hi, distance) {
  if (distance < DAY) {
    const zone = distance >= MINUTE ? new Date(lo * 1000).getTimezoneOffset() * 60 : 0;
    return multiples(lo - zone, hi - zone, distance).map((tick) => tick + zone);
  }
  const days = distance / DAY;
  const from = new Date(lo * 1000);
  return dates(lo, hi, (place) => {
    const number =
      Math.floor(Date.UTC(from.getFullYear(), from.getMonth(), from.getDate()) / 1000 / DAY / days) + place;
    const utc = new Date(number * days * DAY * 1000);
    return localTime(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  });
}

/** @param {number} lo @param {number} hi @param {number} months */
function monthMultiples(lo, hi, months) {
  const from = new Date(lo * 1000);
  const first = Math.floor((from.getFullYear() * 12 + from.getMonth()) / months);
  return dates(lo, hi, (place) => localTime(0, (first + place) * months, 1));
}

/** @param {number} year @param {number} month @param {number} date */
function localTime(year, month, date) {
  const time = new Date(2000, 0, 1);
  time.setFullYear(year, month, date);
  return time.getTime() / 1000;
}

/** @param {number} lo @param {number} hi @param {(place: number) => number} timeAt */
function dates(lo, hi, timeAt) {
  const ticks = [];
  for (let place = 0; ticks.length <= MOST; place++) {
    const tick = timeAt(place);
    if (!(tick <= hi)) break;
    if (tick >= lo) ticks.push(tick);
  }
  return ticks;
}

/** Labels for a distance, the clearest first. The offset is what they leave out.
 * @typedef {{of: (tick: number) => string, offset: (tick: number) => string}} Labelling */

/** @param {number} distance @returns {Labelling[]} */
function clockLabels(distance) {
  const year = (/** @type {number} */ tick) => day(tick).slice(0, -6);
  const date = (/** @type {number} */ tick) => day(tick).slice(-5);
  const none = () => "";
  if (distance >= DAY)
    return [
      { of: date, offset: year },
      { of: day, offset: none },
    ];
  const time = (/** @type {number} */ tick) => clock(tick).slice(0, 5);
  if (distance >= MINUTE)
    return [
      { of: (tick) => (time(tick) === "00:00" ? date(tick) : time(tick)), offset: day },
      { of: (tick) => `${date(tick)} ${time(tick)}`, offset: year },
    ];
  const decimals = distance >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(distance)));
  const precise = (/** @type {number} */ tick) => {
    const rounded = Number(tick.toFixed(decimals));
    return clock(rounded) + (decimals ? (rounded - Math.floor(rounded)).toFixed(decimals).slice(1) : "");
  };
  return [
    { of: precise, offset: day },
    { of: (tick) => precise(tick).slice(3), offset: (tick) => `${day(tick)} ${clock(tick).slice(0, 2)}h` },
    { of: (tick) => precise(tick).slice(5), offset: (tick) => `${day(tick)} ${time(tick)}` },
  ];
}

/** @param {number} months @returns {Labelling[]} */
function monthLabels(months) {
  const year = (/** @type {number} */ tick) => day(tick).slice(0, -6);
  const whole = { of: (/** @type {number} */ tick) => day(tick).slice(0, -3), offset: () => "" };
  return months % 12 ? [whole] : [{ of: year, offset: () => "" }];
}

/** @param {number[]} ticks @param {Labelling} label @returns {Ticks} */
function withOffset(ticks, label) {
  const offsets = [label.offset(ticks[0]), label.offset(/** @type {number} */ (ticks.at(-1)))];
  const offset = offsets[0] === offsets[1] ? offsets[0] : offsets.join(" – ");
  return { ticks, labels: ticks.map(label.of), offset };
}

/** @param {number} tick @param {number} distance @returns {string} */
function spanLabel(tick, distance) {
  if (tick === 0 && distance >= MINUTE) return "0";
  if (tick < 0) return `−${spanLabel(-tick, distance)}`;
  if (distance < MINUTE) return secondsLabel(tick, distance);
  if (distance < HOUR) {
    const minutes = Math.round(tick / MINUTE);
    return minutes < 60 ? `${minutes}m` : `${Math.floor(minutes / 60)}h${minutes % 60 ? `${minutes % 60}m` : ""}`;
  }
  if (distance < DAY && tick < 2 * DAY) return `${Math.round(tick / HOUR)}h`;
  return `${Number((tick / DAY).toFixed(2))}d`;
}

/** @param {number} tick @param {number} distance */
function secondsLabel(tick, distance) {
  if (distance >= 1 && tick >= MINUTE) {
    const seconds = Math.round(tick % MINUTE);
    return `${Math.floor(tick / MINUTE)}m${seconds ? `${seconds}s` : ""}`;
  }
  const decimals = distance >= 1 ? 0 : Math.min(6, Math.ceil(-Math.log10(distance)));
  return `${tick.toFixed(decimals)}s`;
}
