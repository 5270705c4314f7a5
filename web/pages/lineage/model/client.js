// Requests for lineage and dataset pipelines.

import { postJson } from "../../../data/client/client.js";
import { noteDirections } from "../../../data/series/directions.js";

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

/**
 * Runs without lineage are omitted.
 * @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunLineage[]>}
 */
export async function readLineages(run, signal) {
  const { runs, directions } = await postJson("lineage", { run }, signal);
  noteDirections(Object.entries(directions));
  return runs;
}

/**
 * Runs without a pipeline are omitted.
 * @param {string[]} run @param {AbortSignal} signal @returns {Promise<RunPipeline[]>}
 */
export const readPipelines = async (run, signal) => (await postJson("lineage/datasets", { run }, signal)).runs;
