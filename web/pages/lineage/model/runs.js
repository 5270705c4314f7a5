// What runs were trained with, what their data went through, and what came of it.

import { computed } from "@preact/signals-core";
import { runs } from "../../../data/catalogue.js";
import { RunCache } from "../../../data/run_cache.js";
import { overviewCache } from "../../../data/run_table.js";
import { readLineages, readPipelines } from "./client.js";

/** Runs that are hyperparameter sessions of another one are part of that one's row. */
export const wholeRuns = computed(() => runs.value.filter((row) => row.parent === null).map((row) => row.run));

/** Of a run there is much to tell. */
const RUNS_AT_ONCE = 400;
/** @type {RunCache<import("./client.js").RunLineage>} */
export const lineages = new RunCache(readLineages, RUNS_AT_ONCE);
/** @type {RunCache<import("./client.js").RunPipeline>} */
export const pipelines = new RunCache(readPipelines, RUNS_AT_ONCE);
/** The last values of metrics, which are columns too. */
export const lastScalars = overviewCache();
