// Ticks at multiples of 1, 2 or 5 times a power of ten, and their labels: all of one notation.

/** A tick is `count` times ten to the `power`; both are whole. @typedef {{count: number, power: number}} Decimal */
/** Ticks with labels that differ. A label says how much its tick is beyond the offset; "" = beyond zero.
 * @typedef {{ticks: number[], labels: string[], offset: string}} Ticks */

export const FEWEST = 3;
export const MOST = 8;
/** Ticks from which three are chosen if eight do not fit: 2.5 times as many as fit badly, and those at both ends. */
const MAX_DENSE = 14;
/** Longer labels are written beyond an offset. */
const LONGEST = 7;
export const UNITS = ["", "k", "M", "G", "T"];
/** Numbers below this have few digits left: they are calculated with larger ones. */
const SMALL = 1e-280;
const ENLARGED = 250;

/** @param {Decimal} tick */
export const numberOf = ({ count, power }) => Number(`${count}e${power}`);

/** Yields ticks, about as many as wanted first: with labels as people write them, then with those that take less room.
 * @param {number} lo @param {number} hi @param {number} most @param {boolean} isWhole no tick is between whole numbers
 * @returns {Generator<Ticks>} */
export function* numberTicks(lo, hi, most, isWhole) {
  const all = multiplesIn(lo, hi, isWhole);
  const sets = all.filter(({ length }) => length <= MOST);
  for (const set of closestFirst(sets, most)) yield labelled(set);
  for (const set of sets) yield counted(set);
  const three =
    all[0].length > FEWEST ? apart(all[0], (tick) => (numberOf(tick) / 2 - lo / 2) / (hi / 2 - lo / 2)) : [];
  if (three.length) yield* [labelled(three), counted(three)];
}

/** Three of many ticks, far apart: where there is room for hardly more. @param {Decimal[]} set
 * @param {(tick: Decimal) => number} share the place of a tick in the range, from 0 to 1 */
export function apart(set, share) {
  const [first, last] = [set[0], /** @type {Decimal} */ (set.at(-1))];
  const half = (share(first) + share(last)) / 2;
  const distance = (/** @type {Decimal} */ tick) => Math.abs(share(tick) - half);
  const middle = set.reduce((best, tick) => (distance(tick) < distance(best) ? tick : best));
  return [first, middle, last];
}

/** The sets of at most so many ticks from the densest to the sparsest, then the denser ones.
 * @template T @param {T[][]} sets the densest first @param {number} most */
export const closestFirst = (sets, most) => [
  ...sets.filter(({ length }) => length <= most),
  ...sets.filter(({ length }) => length > most).reverse(),
];

/** Returns the sets of 3 to 14 multiples in a range, the densest first; fewer multiples if there are no three.
 * @param {number} lo @param {number} hi @param {boolean} isWhole @returns {Decimal[][]} */
function multiplesIn(lo, hi, isWhole) {
  const first = Math.floor(Math.log10(Math.max(hi / 2 - lo / 2, Number.MIN_VALUE) / (MOST / 2))) - 1;
  const sets = [];
  let fewer = /** @type {Decimal[]} */ ([]);
  for (let place = 0; place < 9; place++) {
    const power = first + Math.floor(place / 3);
    if (isWhole && power < 0) continue;
    const set = multiples(lo, hi, [1, 2, 5][place % 3], power);
    if (set.length >= FEWEST) sets.push(set);
    if (set.length && set.length < FEWEST && !fewer.length) fewer = set;
  }
  return sets.length ? sets : [fewer];
}

/** @param {number} lo @param {number} hi @param {number} factor @param {number} power @returns {Decimal[]} */
function multiples(lo, hi, factor, power) {
  const raised = Math.max(Math.abs(lo), Math.abs(hi)) < SMALL ? ENLARGED : 0;
  const [low, high] = raised ? [lo * 1e250, hi * 1e250] : [lo, hi];
  const distance = Number(`${factor}e${power + raised}`);
  const first = Math.floor(low / distance);
  if (high / distance - first > MAX_DENSE) return [];
  const slack = Number(`${factor}e${power - 9}`);
  return Array.from({ length: MAX_DENSE + 1 }, (_, place) => ({ count: (first + place) * factor + 0, power })).filter(
    (tick, place, all) => {
      const value = numberOf(tick);
      const isNew = place === 0 || value > numberOf(all[place - 1]);
      return isNew && Number.isFinite(value) && value >= lo - slack && value <= hi + slack;
    },
  );
}

/** @param {Decimal[]} set @returns {Ticks} */
function labelled(set) {
  const ticks = set.map(numberOf);
  const labels = decimalLabels(set);
  const base = baseOf(set);
  if (base.count === 0 || Math.max(...labels.map((label) => label.length)) <= LONGEST)
    return { ticks, labels, offset: "" };
  const beyond = set.map(({ count, power }) => ({ count: count - base.count, power }));
  return { ticks, labels: decimalLabels(beyond).map((label) => `+${label}`), offset: exactText(base) };
}

/** Labels as small whole numbers, of a power of ten, beyond the first tick. @param {Decimal[]} set @returns {Ticks} */
function counted(set) {
  const ticks = set.map(numberOf);
  if (!set.length) return { ticks, labels: [], offset: "" };
  const [{ count: first, power }] = set;
  const counts = set.map(({ count }) => count - first);
  const tens = counts.every((count) => count % 10 === 0) ? 1 : 0;
  const offset = `${first ? `${exactText(set[0])} + ` : ""}… × 1e${power + tens}`;
  return { ticks, labels: counts.map((count) => String(count / 10 ** tens)), offset };
}

/** A round number below all ticks, from which they differ by few digits. @param {Decimal[]} set @returns {Decimal} */
function baseOf(set) {
  const [{ count: first, power }] = set.length ? set : [{ count: 0, power: 0 }];
  const last = set.at(-1)?.count ?? 0;
  const unit = 10 ** String(last - first).length;
  return { count: Math.floor(first / unit) * unit + 0, power };
}

/** Returns the labels of ticks: with the unit of the largest, or all with exponents.
 * @param {Decimal[]} set @returns {string[]} */
function decimalLabels(set) {
  const magnitude = Math.max(...set.map(magnitudeOf));
  if (magnitude < -3 || magnitude >= 15) return set.map(scientific);
  const unit = magnitude < 3 ? 0 : Math.floor(magnitude / 3);
  return set.map(({ count, power }) => (count ? plain(count, power - 3 * unit) + UNITS[unit] : "0"));
}

/** The power of ten of the first digit. @param {Decimal} tick */
export const magnitudeOf = ({ count, power }) => (count ? String(Math.abs(count)).length - 1 + power : -Infinity);

/** @param {Decimal} tick */
export function scientific({ count, power }) {
  if (!count) return "0";
  const digits = String(Math.abs(count));
  const mantissa = plain(count, 1 - digits.length);
  return `${mantissa}e${digits.length - 1 + power}`;
}

/** Count times ten to the power, without an exponent. @param {number} count @param {number} power */
function plain(count, power) {
  const digits = String(Math.abs(count));
  const sign = count < 0 ? "−" : "";
  if (power >= 0) return sign + digits + "0".repeat(power);
  const padded = digits.padStart(1 - power, "0");
  const decimals = padded.slice(power).replace(/0+$/, "");
  return sign + padded.slice(0, power) + (decimals && `.${decimals}`);
}

/** All digits. @param {Decimal} tick */
function exactText(tick) {
  const magnitude = magnitudeOf(tick);
  return magnitude < -6 || magnitude > 21
    ? scientific(tick)
    : plain(tick.count, tick.power).replace(/\d(?=(\d{3})+(?!\d))(?<!\.\d*)/g, "$&,");
}
