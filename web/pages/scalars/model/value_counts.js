// How many different values each hyperparameter has.

/** @param {ReadonlyArray<Readonly<Record<string, unknown>>>} ofRuns the hyperparameters of each run; a missing one is a
 * value of its own @returns {Array<{name: string, values: number}>} in the order of the runs that have them */
export function valueCounts(ofRuns) {
  const names = [...new Set(ofRuns.flatMap(Object.keys))];
  return names.map((name) => ({ name, values: new Set(ofRuns.map((values) => JSON.stringify(values[name]))).size }));
}
