// Requests for lineage, dataset pipelines and the importance of hyperparameters.

import { postJson } from "../../../data/client.js";

/** A JSON value, in which non-finite numbers are "NaN", "Infinity" and "-Infinity". @typedef {unknown} Json */
/** @typedef {Record<string, Json>} JsonByName */

/** @typedef {object} RunLineage
 * @property {string} run
 * @property {JsonByName} hyper_parameters
 * @property {JsonByName} metrics
 * @property {JsonByName} train_dataset
 * @property {JsonByName} valid_dataset
 * @property {JsonByName} model
 * @property {JsonByName} custom
 * @property {string[]} problems
 */

/** @typedef {object} Stage of a dataset pipeline
 * @property {string} op_type
 * @property {JsonByName} parameters
 * @property {JsonByName[]} operations
 * @property {JsonByName | null} sampler
 * @property {Stage[]} children the stages that feed it
 */

/** @typedef {{run: string, dataset: Stage | null, problems: string[]}} RunPipeline */

/** @typedef {object} ParameterImportance
 * @property {string} name
 * @property {number | null} importance
 * @property {number | null} spread
 * @property {number | null} pearson
 * @property {number | null} spearman
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
 * Runs without lineage are omitted.
 * @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunLineage[]>}
 */
export const readLineages = async (run, signal) => (await postJson("lineage", { run }, signal)).runs;

/**
 * Runs without a pipeline are omitted.
 * @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunPipeline[]>}
 */
export const readPipelines = async (run, signal) => (await postJson("lineage/datasets", { run }, signal)).runs;

/**
 * @param {string} metric @param {MetricSource} source @param {string[]} run an empty list means all
 * @param {AbortSignal} signal @returns {Promise<Importance>}
 */
export const readImportance = (metric, source, run, signal) => postJson("importance", { metric, source, run }, signal);
