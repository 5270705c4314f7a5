// Steps that a slider moves over: those of several series together, and where one of them stands.

/** All steps of some series, each once, ascending.
 * @param {Iterable<readonly number[]>} lists @returns {number[]} */
export function unionOf(lists) {
  /** @type {Set<number>} */
  const steps = new Set();
  for (const list of lists) for (const step of list) steps.add(step);
  return [...steps].sort((one, other) => one - other);
}

/** The place of the last step that is not behind `step`; -1 when all are.
 * @param {readonly number[]} steps ascending @param {number} step */
export function placeOf(steps, step) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {readonly number[]} one @param {readonly number[]} other */
export const sameSteps = (one, other) =>
  one.length === other.length && one.every((step, place) => step === other[place]);
