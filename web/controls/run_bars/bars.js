// The bars of runs: where each begins and ends between the smallest and the largest value, zero included.

/** `from` and `to`: parts of the width, from 0 to 1. Infinite and missing values have no length.
 * @typedef {{run: string, value: number, from: number, to: number}} Bar */

/** @param {readonly string[]} runs @param {(run: string) => unknown} numberOf
 * @param {"down" | "up" | "run"} order by value, or as the runs @returns {{bars: Bar[], missing: number}} */
export function barsOf(runs, numberOf, order) {
  const rows = runs.flatMap((run) => {
    const value = numberOf(run);
    return typeof value === "number" ? [{ run, value }] : [];
  });
  const finite = rows.map(({ value }) => value).filter(Number.isFinite);
  const lo = Math.min(0, ...finite);
  const hi = Math.max(0, ...finite);
  const place = (/** @type {number} */ value) => (hi > lo ? (value / 2 - lo / 2) / (hi / 2 - lo / 2) : 0);
  const bars = rows.map(({ run, value }) => {
    const ends = Number.isFinite(value) ? [place(0), place(value)] : [place(0), place(0)];
    return { run, value, from: Math.min(...ends), to: Math.max(...ends) };
  });
  return { bars: order === "run" ? bars : sorted(bars, order === "down" ? -1 : 1), missing: runs.length - rows.length };
}

/** NaN last in either direction. @param {Bar[]} bars @param {1 | -1} sign */
const sorted = (bars, sign) =>
  bars.toSorted(
    (a, b) => Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value)) || sign * (a.value - b.value) || 0,
  );
