// One number of all runs: the best, smallest, largest or last value with its run, or the mean or sum.

/** @typedef {"min" | "max" | "mean" | "median" | "sum" | "count"} Reduction */
export const REDUCTIONS = /** @type {const} */ (["best", "min", "max", "mean", "median", "sum", "count"]);

/** @param {readonly string[]} runs @param {(run: string) => unknown} numberOf @param {Reduction} how
 * @returns {{value: number, run: string | null, count: number} | null} `run` has the value; null = no run has a number */
export function summaryOf(runs, numberOf, how) {
  const rows = runs.flatMap((run) => {
    const value = numberOf(run);
    return typeof value === "number" && Number.isFinite(value) ? [{ run, value }] : [];
  });
  if (!rows.length) return null;
  const count = rows.length;
  if (how === "min" || how === "max") {
    const first = rows.reduce((best, row) =>
      (how === "min" ? row.value < best.value : row.value > best.value) ? row : best,
    );
    return { ...first, count };
  }
  const values = rows.map(({ value }) => value);
  return { value: REDUCED[how](values), run: null, count };
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @type {Record<Exclude<Reduction, "min" | "max">, (values: number[]) => number>} */
const REDUCED = {
  sum,
  mean: (values) => sum(values) / values.length,
  median: (values) => {
    const sorted = values.toSorted((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  },
  count: (values) => values.length,
};
