// The brush of an overview: a range within [0, 1] that is moved, resized or drawn again. Pure.

/** @typedef {readonly [lo: number, hi: number]} Part of the overview */
/** What a drag or key changes. @typedef {"lo" | "hi" | "both"} Grip */

/** The least share of the overview that a brush covers. */
export const LEAST = 0.002;

/** @param {number} value @param {number} lo @param {number} hi */
const clamp = (value, lo, hi) => Math.min(Math.max(value, lo), hi);

/** Moves a brush or one of its edges; it stays within the overview and keeps its least width.
 * @param {Part} part @param {Grip} grip @param {number} by @returns {Part} */
export function moved([lo, hi], grip, by) {
  if (grip === "lo") return [clamp(lo + by, 0, Math.max(0, hi - LEAST)), hi];
  if (grip === "hi") return [lo, clamp(hi + by, Math.min(1, lo + LEAST), 1)];
  const shift = clamp(by, -lo, 1 - hi);
  return [lo + shift, hi + shift];
}

/** The range from where a drag began to where it is.
 * @param {number} from @param {number} to @returns {Part} */
export const between = (from, to) => [clamp(Math.min(from, to), 0, 1), clamp(Math.max(from, to), 0, 1)];

/** How far a key moves a brush or edge; null = another key.
 * @param {string} key @param {boolean} isFar */
export function stepOfKey(key, isFar) {
  const step = isFar ? 0.1 : 0.01;
  if (key === "ArrowLeft" || key === "ArrowDown") return -step;
  if (key === "ArrowRight" || key === "ArrowUp") return step;
  if (key === "PageDown") return -0.1;
  if (key === "PageUp") return 0.1;
  if (key === "Home") return -1;
  return key === "End" ? 1 : null;
}

/** Maps a range of x to [0, 1], and back.
 * @param {readonly [lo: number, hi: number]} whole @param {boolean} log */
export function unitScale([lo, hi], log) {
  const [start, end] = log ? [Math.log(lo), Math.log(hi)] : [lo, hi];
  return {
    /** @param {number} x */
    toUnit: (x) => clamp(((log ? Math.log(Math.max(x, lo)) : x) - start) / (end - start), 0, 1),
    /** @param {number} unit */
    fromUnit: (unit) => {
      const value = start + unit * (end - start);
      return log ? Math.exp(value) : value;
    },
  };
}
