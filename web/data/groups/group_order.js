// The groups of runs that are drawn: each has one style in all cards.

import { styleOf } from "../colours/run_styles.js";
import { compareValues } from "../text/natural_order.js";

/** @typedef {import("../series/series.js").Series} Series */
/** @typedef {{style: import("../colours/run_styles.js").LineStyle, runs: ReadonlySet<string>}} Group */
/** @typedef {ReadonlyMap<string, Group>} Groups by name */

/** Returns the groups with those of further bands. A group keeps its style, a new one gets the next.
 * @param {Groups} groups @param {Series[]} bands @returns {Groups} the same if there is nothing new */
export function withBands(groups, bands) {
  const added = bands.filter(({ run, band }) => band?.runs.some((member) => !groups.get(run)?.runs.has(member)));
  if (!added.length) return groups;
  const all = new Map(groups);
  for (const { run, band } of added) {
    const { style = styleOf(all.size), runs = [] } = all.get(run) ?? {};
    all.set(run, { style, runs: new Set([...runs, ...(band?.runs ?? [])]) });
  }
  return all;
}

/** The groups that have drawn runs, with these, numbers by value, other names in natural order.
 * @param {Groups} groups @param {readonly string[]} drawn @returns {Array<[name: string, Group]>} */
export function drawnGroups(groups, drawn) {
  const isDrawn = new Set(drawn);
  return [...groups]
    .map(
      ([name, { style, runs }]) =>
        /** @type {[string, Group]} */ ([name, { style, runs: new Set([...runs].filter((run) => isDrawn.has(run))) }]),
    )
    .filter(([, { runs }]) => runs.size)
    .sort(([a], [b]) => compareValues(a, b));
}
