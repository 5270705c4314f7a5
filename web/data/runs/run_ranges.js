// Ranges of a list of runs, and sets of runs.

/** Both ends are included; without a first end, only the last one. @param {readonly string[]} names
 * @param {string} first @param {string} last */
export function rangeOf(names, first, last) {
  const [from, to] = [names.indexOf(first), names.indexOf(last)];
  if (to < 0) return [];
  return from < 0 ? [last] : names.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** @param {ReadonlySet<string>} runs @param {readonly string[]} names @param {boolean} isOn */
export function withRuns(runs, names, isOn) {
  const all = new Set(runs);
  for (const name of names) isOn ? all.add(name) : all.delete(name);
  return all;
}
