// Ascending steps: their union, and the search in them.

/** Returns all steps of several series, each once, ascending.
 * @param {Iterable<readonly number[]>} lists @returns {number[]} */
export function unionOf(lists) {
  /** @type {Set<number>} */
  const steps = new Set();
  for (const list of lists) for (const step of list) steps.add(step);
  return [...steps].sort((a, b) => a - b);
}

/** Returns the index of the last step that is not after `step`; -1 if all are.
 * @param {readonly number[]} steps ascending @param {number} step */
export function indexAtOrBefore(steps, step) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** @param {readonly number[]} steps @param {readonly number[]} others */
export const sameSteps = (steps, others) =>
  steps.length === others.length && steps.every((step, place) => step === others[place]);
