// Values of runs for all panels that show them: fetched together, as columns.

import { effect, signal } from "@preact/signals-core";
import { runColumns } from "../../../data/runs/run_columns.js";
import { bestOf } from "../../../data/series/best_values.js";

/** @typedef {import("../model/column_names.js").ColumnName} ColumnName */

export const valuesError = runColumns.error;
/** The hyperparameters that any run has. */
export const parameters = runColumns.parameters;

/** The columns that each panel wants. @type {import("@preact/signals-core").Signal<ReadonlyMap<object, ColumnName[]>>} */
const wanted = signal(new Map());

/** Fetches while any panel wants columns, until the returned function is called. */
export const followRunValues = () =>
  runColumns.follow(() => {
    if (!wanted.value.size) return null;
    const all = [...wanted.value.values()].flat().map(stored);
    const of = (/** @type {string} */ kind) =>
      [...new Set(all.flatMap((each) => (each.kind === kind ? [each.name] : [])))].sort();
    return { fact: [], last: of("last"), min: of("min"), max: of("max"), param: of("param") };
  });

/** Wants columns until the returned function is called.
 * @param {object} owner @param {() => Array<ColumnName | null>} names read in an effect */
export function wantColumns(owner, names) {
  const end = effect(() => {
    const own = names().flatMap((name) => name ?? []);
    wanted.value = new Map(wanted.peek()).set(owner, own);
  });
  return () => {
    end();
    const others = new Map(wanted.peek());
    others.delete(owner);
    wanted.value = others;
  };
}

/** The best value is the smallest or the largest.
 * @param {ColumnName} column @returns {{kind: "last" | "min" | "max" | "param", name: string}} */
const stored = ({ statistic, name }) => ({ kind: statistic === "best" ? bestOf(name) : statistic, name });

/** @param {ColumnName} column @returns {import("../../../data/runs/run_columns.js").ValueOf} */
export function valuesOf(column) {
  const { kind, name } = stored(column);
  return runColumns.of(kind, name);
}
