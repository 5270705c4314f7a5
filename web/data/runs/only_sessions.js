// Which hyperparameter sessions describe the run above them, and are no rows of their own.

/** Returns the rows of runs without the sessions that are the only one of their run; several are trials, which stay.
 * @template {{parent: string | null}} Row
 * @param {Row[]} rows @returns {Row[]} */
export function withoutOnlySessions(rows) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { parent } of rows) if (parent !== null) counts.set(parent, (counts.get(parent) ?? 0) + 1);
  return counts.size ? rows.filter(({ parent }) => parent === null || counts.get(parent) !== 1) : rows;
}
