// Requests for the importance of hyperparameters.

import { postJson } from "../client/client.js";

/** @typedef {object} ParameterImportance
 * @property {string} name
 * @property {number | null} importance
 * @property {number | null} spread
 * @property {number | null} pearson
 * @property {number | null} spearman
 * @property {"linear" | "log10" | null} scale on which pearson is computed; null for a category
 * @property {number} distinct values
 * @property {string} kind
 * @property {number} missing
 * @property {string | null} problem why it has no importance, or a caveat
 */

/** @typedef {object} Importance
 * @property {string} metric
 * @property {MetricSource} source
 * @property {number} runs
 * @property {number} left_out runs that have the metric but were not used
 * @property {boolean} enough
 * @property {string | null} problem
 * @property {number | null} score
 * @property {ParameterImportance[]} parameters
 */

/** @typedef {"scalar" | "lineage"} MetricSource */

/**
 * @param {string} metric @param {MetricSource} source @param {string[]} run an empty list means all
 * @param {AbortSignal} signal @returns {Promise<Importance>}
 */
export const readImportance = (metric, source, run, signal) => postJson("importance", { metric, source, run }, signal);
