// Requests for the table of runs.

import { postJson } from "../client/client.js";

/** @typedef {{step: number[], value: number[]}} SparklinePoints */
/** @typedef {{value: number, step: number}} Extreme */
/** @typedef {{step: number, wall_time: number, value: "NaN" | "Infinity" | "-Infinity"}} BadValue */

/** @typedef {object} RunMetric
 * @property {number} points
 * @property {number | string} last
 * @property {number} last_step
 * @property {Extreme | null} min
 * @property {Extreme | null} max
 * @property {BadValue | null} first_bad
 * @property {SparklinePoints | null} sparkline null unless requested
 */

/** @typedef {object} OverviewRun
 * @property {string} run
 * @property {number | null} duration seconds
 * @property {Record<string, import("../series/difference.js").Plain>} hyper_parameters
 * @property {Record<string, import("../series/difference.js").Plain> | null} environment null unless requested
 * @property {string[]} problems
 * @property {(BadValue & {tag: string, rank: number}) | null} first_bad
 * @property {Record<string, RunMetric>} metrics
 */

/** @typedef {{revision: number, loading: boolean, runs: OverviewRun[], missing: string[]}} OverviewReply */

/** @param {{run: string[], metric: string[], sparkline: boolean, environment: boolean}} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<OverviewReply>} */
export const readOverview = (request, signal) => postJson("overview", request, signal);
