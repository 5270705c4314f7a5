// Caches of the lineage, dataset pipelines and last scalars of all runs.

import { contentOf, RunCache } from "../../../data/runs/run_cache.js";
import { overviewCache } from "../../../data/runs/run_table.js";
import { readLineages, readPipelines } from "./client.js";

/** Runs per request; the lineage of a run is large. */
const RUNS_AT_ONCE = 400;
/** @type {RunCache<import("./client.js").RunLineage>} */
export const lineages = new RunCache(readLineages, RUNS_AT_ONCE, contentOf);
/** @type {RunCache<import("./client.js").RunPipeline>} */
export const pipelines = new RunCache(readPipelines, RUNS_AT_ONCE, contentOf);
/** The last values of metrics. */
export const lastScalars = overviewCache(contentOf);
