// What the server lists of one run, or of one series of it: histograms, images, tensors, texts; graphs, landscapes, lineage.

import { ask } from "./client.js";

/** @typedef {"histograms" | "images" | "tensors" | "text" | "graphs" | "graphs/counts" | "landscapes" | "lineage" | "lineage/dataset"} Kind */

/** Which points of a series. @typedef {object} ListingQuery
 * @property {string} run
 * @property {string} [tag] absent = whatever the run has
 * @property {number} [lo] first step
 * @property {number} [hi] last step
 * @property {number} [limit] points, evenly spread
 * @property {number} [digits] of the losses of landscapes; absent = all
 * @property {number} [rank] absent = the lowest that has the series
 * @property {number} [attempt] absent = all of them stitched
 */

/** @param {Kind} kind @param {ListingQuery} query */
export function addressOf(kind, query) {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${kind}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`;
}

/** @param {string} address @param {AbortSignal} signal @returns {Promise<any>} */
export const readListing = (address, signal) => ask(address, { signal });

/** The tags of some plugins: of each how many runs have it, or, when runs are named, one row a run.
 * @param {string[]} plugins @param {string[]} [runs] @param {AbortSignal} [signal]
 * @returns {Promise<{tags: Array<import("./replies.js").TagRow & {run?: string, points?: number, first_step?: number, last_step?: number, updated?: number | string}>}>} */
export const listTags = (plugins, runs = [], signal = undefined) =>
  ask(
    `tags?${new URLSearchParams([...plugins.map((plugin) => ["plugin", plugin]), ...runs.map((run) => ["run", run])])}`,
    { signal },
  );
