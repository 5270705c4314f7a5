// Requests for listings of a run or of one of its series.

import { fetchJson, postJson } from "../client/client.js";

/** @typedef {"histograms" | "pr_curves" | "images" | "audio" | "meshes" | "tensors" | "text"} SeriesKind */
/** @typedef {SeriesKind | "graphs" | "graphs/counts" | "landscapes" | "lineage" | "lineage/dataset" | "undrawn"
 * | "console" | "environment" | "code" | "files"} Kind */

/** Which points of a series. @typedef {object} ListingQuery
 * @property {string} run
 * @property {string} [tag] absent = every tag of the run
 * @property {number} [lo] first step
 * @property {number} [hi] last step
 * @property {number} [limit] evenly spaced points
 * @property {number} [longest] bytes of texts; longer ones are null
 * @property {number} [digits] of the losses of landscapes; absent = all
 * @property {number} [after] of a console: number of a line, or minus the number of lines at the end
 * @property {string} [search] of a console: text that its lines contain
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

/** `run` and what follows are given for named runs only.
 * @typedef {object} ListedTag
 * @property {string} plugin
 * @property {string} tag
 * @property {number} runs
 * @property {string} [run]
 * @property {number} [points]
 * @property {number} [first_step]
 * @property {number} [last_step]
 * @property {number | string} [updated]
 */

/** Lists the tags of some plugins: one row per run and tag.
 * @param {string[]} plugins @param {string[]} runs @param {AbortSignal} signal
 * @returns {Promise<{tags: ListedTag[]}>} */
export const listTags = (plugins, runs, signal) => postJson("tags", { plugin: plugins, run: runs }, signal);

/** Lists the tags of some plugins that any of the runs has: one row per tag.
 * @param {string[]} plugins @param {string[]} runs @param {AbortSignal} signal
 * @returns {Promise<{tags: ListedTag[]}>} */
export const listTagsTogether = (plugins, runs, signal) =>
  postJson("tags", { plugin: plugins, run: runs, together: true }, signal);
