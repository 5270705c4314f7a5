// The last value of the focus metric, for the visible rows of the run list.

import { computed } from "@preact/signals-core";
import { readScalars } from "../client/client.js";
import { numbersOf } from "../series/series.js";
import { RunCache } from "./run_cache.js";
import { focusTag } from "./runs.js";

const RUNS_AT_ONCE = 1000;
/** The server keeps the last point of a series, however few are requested. */
const POINTS = 4;

/** @type {RunCache<{run: string, tag: string, value: number}, string>} */
const cache = new RunCache(async (run, signal, tag) => {
  /** @type {import("../client/api_types.js").ScalarsRequest} */
  const request = { tag: [tag], run, points: POINTS, column: ["value"] };
  const { series } = tag ? await readScalars(request, signal) : { series: [] };
  return series.map(({ run, value }) => ({ run, tag, value: Number(numbersOf(value).at(-1)) }));
}, RUNS_AT_ONCE);

/** Last values by run; runs without the tag have none. */
export const lastValues = computed(() => {
  const rows = [...cache.rows.value.values()].filter(({ tag }) => tag === focusTag.value);
  return new Map(rows.map(({ run, value }) => [run, value]));
});

/** Follows the visible runs. @param {() => readonly string[]} visible read inside an effect */
export const followLastValues = (visible) => cache.follow(() => ({ runs: visible(), query: focusTag.value }));
