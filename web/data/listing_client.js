// Requests for what a run, or one of its series, contains: histograms, images, tensors, texts, graphs, landscapes, lineage.

import { fetchJson } from "./client.js";

/** @typedef {"histograms" | "images" | "tensors" | "text" | "graphs" | "graphs/counts" | "landscapes" | "lineage" | "lineage/dataset"} Kind */

/** Which points of a series. @typedef {object} ListingQuery
 * @property {string} run
 * @property {string} [tag] absent = every tag of the run
 * @property {number} [lo] first step
 * @property {number} [hi] last step
 * @property {number} [limit] evenly spaced points
 * @property {number} [digits] of the losses of landscapes; absent = all
 * @property {number} [rank] absent = the lowest that has the series
 * @property {number} [attempt] absent = all of them stitched
 */

/** @param {Kind} kind @param {ListingQuery} query */
export function urlOf(kind, query) {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return `${kind}?${new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]))}`;
}

/** @param {string} url @param {AbortSignal} signal @returns {Promise<any>} */
export const readListing = (url, signal) => fetchJson(url, { signal });

/** Lists the tags of some plugins: one row per tag with its number of runs or, for given runs, one row per run and tag.
 * @param {string[]} plugins @param {string[]} [runs] @param {AbortSignal} [signal]
 * @returns {Promise<{tags: Array<import("./api_types.js").TagRow & {run?: string, points?: number, first_step?: number, last_step?: number, updated?: number | string}>}>} */
export const listTags = (plugins, runs = [], signal = undefined) =>
  fetchJson(
    `tags?${new URLSearchParams([...plugins.map((plugin) => ["plugin", plugin]), ...runs.map((run) => ["run", run])])}`,
    { signal },
  );
