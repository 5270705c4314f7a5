// What runs were trained with, their dataset pipelines, and what of it matters, as the server tells it.

import { postJson } from "../../../data/client.js";

/** Plain data as JSON has it; numbers it lacks are "NaN", "Infinity" and "-Infinity". @typedef {unknown} Told */
/** @typedef {Record<string, Told>} ToldByName */

/** @typedef {object} RunLineage
 * @property {string} run
 * @property {ToldByName} hyper_parameters
 * @property {ToldByName} metrics
 * @property {ToldByName} train_dataset
 * @property {ToldByName} valid_dataset
 * @property {ToldByName} model
 * @property {ToldByName} custom
 * @property {string[]} problems
 */

/** @typedef {object} Stage of a dataset pipeline
 * @property {string} op_type
 * @property {ToldByName} parameters
 * @property {ToldByName[]} operations
 * @property {ToldByName | null} sampler
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
 * @property {string | null} problem why it has no importance, or what to mind
 */

/** @typedef {object} Importance
 * @property {string} metric
 * @property {MetricSource} source
 * @property {number} runs
 * @property {number} left_out runs that have the metric and do not count
 * @property {boolean} enough
 * @property {string | null} problem
 * @property {number | null} score
 * @property {ParameterImportance[]} parameters
 */

/** @typedef {"scalar" | "lineage"} MetricSource */

/** Runs without lineage have no row. @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunLineage[]>} */
export const readLineages = async (run, signal) => (await postJson("lineage", { run }, signal)).runs;

/** Runs without a pipeline have no row. @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunPipeline[]>} */
export const readPipelines = async (run, signal) => (await postJson("lineage/datasets", { run }, signal)).runs;

/** @param {string} metric @param {MetricSource} source @param {string[]} run none: all @param {AbortSignal} signal @returns {Promise<Importance>} */
export const readImportance = (metric, source, run, signal) => postJson("importance", { metric, source, run }, signal);
