// Values of all runs, by which the set of runs is coloured: hyperparameters, and statistics of metrics.

import { runColumns } from "./run_columns.js";

/** "param:lr", "last:loss", "min:loss" or "max:accuracy". @typedef {string} ValueId */

const KINDS = /** @type {const} */ (["param", "last", "min", "max"]);

/** The hyperparameters that any run has. */
export const parameters = runColumns.parameters;

/** @param {ValueId} id @returns {{kind: (typeof KINDS)[number], name: string} | null} null if it names no value */
export function valueNamed(id) {
  const kind = KINDS.find((each) => id.startsWith(`${each}:`));
  return kind ? { kind, name: id.slice(kind.length + 1) } : null;
}

/** Returns the values of runs, all null until they are fetched. @param {ValueId} id */
export function valuesOf(id) {
  const value = valueNamed(id);
  return value ? runColumns.of(value.kind, value.name) : () => null;
}

/** Fetches values until the returned function is called.
 * @param {() => readonly ValueId[]} needed read inside an effect @param {() => boolean} areListed are the names of
 * hyperparameters needed? */
export function followRunValues(needed, areListed) {
  return runColumns.follow(() => {
    const values = needed().flatMap((id) => valueNamed(id) ?? []);
    if (!values.length && !areListed()) return null;
    const named = (/** @type {string} */ kind) =>
      [...new Set(values.filter((value) => value.kind === kind).map(({ name }) => name))].sort();
    return { fact: [], param: named("param"), last: named("last"), min: named("min"), max: named("max") };
  });
}
