// How important the hyperparameters are for the metric in the run list: measured while someone chooses among them.

import { Query } from "../client/query.js";
import { focusTag } from "../runs/runs.js";
import { readImportance } from "./importance_client.js";

/** Without importances, as on a server that cannot measure them, hyperparameters are ranked by their numbers of values.
 * @type {Query<ReadonlyMap<string, number>>} */
const query = new Query(async (metric, signal) => {
  const { parameters } = await readImportance(metric, "scalar", [], signal);
  return new Map(parameters.map(({ name, importance }) => [name, importance ?? 0]));
});

/** @param {string} parameter */
export const importanceOf = (parameter) => query.value.value?.get(parameter) ?? 0;

/** @param {() => boolean} isNeeded read inside an effect */
export const followImportance = (isNeeded) => query.observe(() => query.select(isNeeded() ? focusTag.value : null));
