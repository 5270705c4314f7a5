// Ticks of a logarithmic axis: powers of ten, with 2 and 5 times these over few decades, or round numbers within one.

import {
  apart,
  closestFirst,
  FEWEST,
  MOST,
  magnitudeOf,
  numberOf,
  numberTicks,
  scientific,
  UNITS,
} from "./number_ticks.js";

/** @typedef {import("./number_ticks.js").Decimal} Decimal */
/** @typedef {import("./number_ticks.js").Ticks} Ticks */

const STRIDES = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300];

/** Yields ticks, about as many as wanted first: with labels as people write them, then as exponents.
 * @param {number} lo above zero @param {number} hi @param {number} most @returns {Generator<Ticks>} */
export function* logTicks(lo, hi, most) {
  const first = Math.floor(Math.log10(lo)) - 1;
  const last = Math.ceil(Math.log10(hi)) + 1;
  const isInside = (/** @type {Decimal} */ tick) => numberOf(tick) >= lo && numberOf(tick) <= hi;
  const strides = STRIDES.filter((stride) => (last - first) / stride < MOST + 4);
  const sets = [
    last - first < MOST ? decades(first, last, 1, [1, 2, 5]) : [],
    ...strides.map((each) => decades(first, last, each, [1])),
  ]
    .map((set) => set.filter(isInside))
    .filter(({ length }) => length >= FEWEST && length <= MOST);
  for (const set of closestFirst(sets, most)) yield { ticks: set.map(numberOf), labels: labelsOf(set), offset: "" };
  for (const set of sets) yield short(set);
  const [low, high] = [Math.log10(lo), Math.log10(hi)];
  if (high - low > 4 * FEWEST)
    yield short([0.1, 0.5, 0.9].map((share) => ({ count: 1, power: Math.round(low + share * (high - low)) })));
  const dense = decades(first, last, 1, [1, 2, 3, 5, 7]).filter(isInside);
  if (dense.length > FEWEST) {
    const three = apart(dense, (tick) => Math.log10(numberOf(tick)));
    yield* [{ ticks: three.map(numberOf), labels: labelsOf(three), offset: "" }, short(three)];
  }
  yield* numberTicks(lo, hi, most, false);
}

/** Labels as exponents, or as multiples of the lowest power. @param {Decimal[]} set @returns {Ticks} */
function short(set) {
  const ticks = set.map(numberOf);
  if (set.every(({ count }) => count === 1))
    return { ticks, labels: set.map(({ power }) => String(power).replace("-", "−")), offset: "log₁₀" };
  const lowest = Math.min(...set.map(({ power }) => power));
  return {
    ticks,
    labels: set.map(({ count, power }) => String(Number(`${count}e${power - lowest}`))),
    offset: `… × 1e${lowest}`,
  };
}

/** @param {number} first @param {number} last @param {number} stride @param {number[]} factors @returns {Decimal[]} */
function decades(first, last, stride, factors) {
  const powers = [];
  for (let power = Math.ceil(first / stride) * stride; power <= last; power += stride) powers.push(power);
  return powers.flatMap((power) => factors.map((count) => ({ count, power })));
}

/** Each with its own unit, or all with exponents. @param {Decimal[]} set */
function labelsOf(set) {
  const magnitudes = set.map(magnitudeOf);
  if (Math.min(...magnitudes) < -3 || Math.max(...magnitudes) >= 15) return set.map(scientific);
  return set.map(({ count, power }, place) => {
    const unit = Math.max(0, Math.floor(magnitudes[place] / 3));
    return `${Number(`${count}e${power - 3 * unit}`)}${UNITS[unit]}`;
  });
}
