// The colours of points: by a column of metadata, and by which points stand out. Pure.

import { viridis } from "../../../charts/rgb.js";

/** @typedef {import("../../../charts/rgb.js").Rgb} Rgb */

/** A column as the server has it: numbers, or the number of a category of each point.
 * @typedef {object} Column
 * @property {Float32Array | null} numbers
 * @property {string[]} names @property {number[]} counts
 * @property {Int32Array | null} codes
 * @property {number} distinct */

/** Which points stand out: with any, all others are faint.
 * @typedef {object} Emphasis
 * @property {ReadonlySet<number>} strong
 * @property {{hidden: number, faint: number, plain: number, strong: number}} levels */

/** The colours of a theme.
 * @typedef {object} Shades
 * @property {readonly Rgb[]} categories
 * @property {Rgb} plain of points without a column
 * @property {Rgb} none of points without a value, or whose category has no colour
 * @property {Rgb} faint */

/** The finite range of numbers; null if there is none. @param {ArrayLike<number>} numbers
 * @returns {[lo: number, hi: number] | null} */
export function finiteRange(numbers) {
  let [lo, hi] = [Infinity, -Infinity];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at];
    if (!Number.isFinite(number)) continue;
    if (number < lo) lo = number;
    if (number > hi) hi = number;
  }
  return lo <= hi ? [lo, hi] : null;
}

/** Returns red, green, blue and emphasis of each point.
 * @param {readonly ArrayLike<number>[]} axes a point without a position is hidden
 * @param {Column | null} column @param {Shades} shades @param {Emphasis} emphasis */
export function coloursOf(axes, column, shades, { strong, levels }) {
  const total = axes[0].length;
  const colours = new Uint8Array(4 * total);
  const colourOf = colourFunction(column, shades);
  for (let at = 0; at < total; at++) {
    const isStrong = strong.has(at);
    const isFaint = strong.size > 0 && !isStrong;
    const colour = isFaint ? shades.faint : colourOf(at);
    colours[4 * at] = colour[0];
    colours[4 * at + 1] = colour[1];
    colours[4 * at + 2] = colour[2];
    colours[4 * at + 3] = Number.isNaN(axes[0][at])
      ? levels.hidden
      : isStrong
        ? levels.strong
        : isFaint
          ? levels.faint
          : levels.plain;
  }
  return colours;
}

/** @param {Column | null} column @param {Shades} shades @returns {(at: number) => Rgb} */
function colourFunction(column, { categories, plain, none }) {
  if (!column) return () => plain;
  const { numbers, codes } = column;
  if (numbers) {
    const [lo, hi] = finiteRange(numbers) ?? [0, 0];
    return (at) => (Number.isFinite(numbers[at]) ? shadeOf(numbers[at], lo, hi) : none);
  }
  return (at) => categories[codes?.[at] ?? -1] ?? none;
}

const STEPS = 255;
const SCALE = Array.from({ length: STEPS + 1 }, (_, step) => viridis(step / STEPS));

/** @param {number} number @param {number} lo @param {number} hi */
const shadeOf = (number, lo, hi) => SCALE[hi > lo ? Math.round(((number - lo) / (hi - lo)) * STEPS) : STEPS >> 1];
