// Measures the elements of a slice in chunks, so that the page stays responsive: all of them, or an evenly spread
// sample.

import { effect, signal } from "@preact/signals-core";
import { numbersOf } from "./model/npy.js";
import { countOf, piecesOf, samplePart } from "./model/slice.js";
import { addDifferences, binsOf, countInto, emptyDistance, emptyExtent, extendExtent } from "./model/statistics.js";

/** @typedef {import("./displayed_slice.js").Source} Source */
/** @typedef {import("./model/slice.js").Part} Part */

/** The result for `covered` of `total` elements, which are those in `parts`.
 * @template Result
 * @typedef {{key: string, covered: number, total: number, parts: Part[], result: Result}} Measurement */

/** Larger slices are sampled unless the user requests all elements. */
const MAX_ELEMENTS = 1_000_000;
/** Elements per request, and per chunk of work. */
const FETCH_SIZE = 262_144;
const CHUNK_SIZE = 65_536;

/** The key of the source of which all elements are measured. */
const completeKey = signal("");
/** @param {string} key */
export const measureAll = (key) => (completeKey.value = key);

/** Measures the current source whenever it changes.
 * @template Result
 * @param {import("@preact/signals-core").ReadonlySignal<Source | null>} source
 * @param {(source: Source, parts: Part[], signal: AbortSignal) => Promise<Result>} measure */
export function measurementOf(source, measure) {
  /** @type {import("@preact/signals-core").Signal<Measurement<Result> | null>} */
  const measurement = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  const error = signal(null);
  const run = async (
    /** @type {Source} */ shown,
    /** @type {Part[]} */ parts,
    /** @type {AbortSignal} */ abortSignal,
  ) => {
    try {
      const result = await measure(shown, parts, abortSignal);
      if (abortSignal.aborted) return;
      measurement.value = { key: shown.key, covered: countOf(parts), total: shown.layout.count, parts, result };
      error.value = null;
    } catch (reason) {
      if (!abortSignal.aborted) error.value = /** @type {Error} */ (reason);
    }
  };
  const follow = () =>
    effect(() => {
      const shown = source.value;
      if (!shown) return;
      const controller = new AbortController();
      run(
        shown,
        completeKey.value === shown.key ? shown.layout.parts : samplePart(shown.layout.parts, MAX_ELEMENTS),
        controller.signal,
      );
      return () => controller.abort();
    });
  return { measurement, error, follow };
}

/** @param {Source} source @param {Part[]} parts @param {AbortSignal} signal */
async function* readNumbers(source, parts, signal) {
  for (const piece of piecesOf(parts, FETCH_SIZE)) {
    const elements = await source.read(piece, signal);
    for (let from = 0; from < elements.count; from += CHUNK_SIZE) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      yield { numbers: numbersOf(elements, from, Math.min(from + CHUNK_SIZE, elements.count)), kind: elements.kind };
    }
  }
}

/** @param {Source} source @param {Part[]} parts @param {AbortSignal} signal */
export async function measureDistance(source, parts, signal) {
  const distance = emptyDistance();
  for await (const { numbers } of readNumbers(source, parts, signal)) addDifferences(distance, numbers);
  return distance;
}

/** The largest number of bins. */
const BINS = 60;

/**
 * @typedef {{counts: Float64Array, lo: number, width: number, isWhole: boolean, extent:
 *   import("./model/statistics.js").Extent}} Histogram
 */

/** Counts elements in bins; reads them twice if there are too many to keep in memory.
 * @param {Source} source @param {Part[]} parts @param {AbortSignal} signal @returns {Promise<Histogram>} */
export async function measureHistogram(source, parts, signal) {
  const extent = emptyExtent();
  const kept = [];
  let isWhole = true;
  const isKept = countOf(parts) <= MAX_ELEMENTS;
  for await (const { numbers, kind } of readNumbers(source, parts, signal)) {
    extendExtent(extent, numbers);
    isWhole &&= kind === "integer" || kind === "bool";
    if (isKept) kept.push(numbers);
  }
  if (!extent.finite) return { counts: new Float64Array(0), lo: 0, width: 1, isWhole, extent };
  const { lo, width, bins } = binsOf(extent.min, extent.max, isWhole, BINS);
  const counts = new Float64Array(bins);
  for (const numbers of kept) countInto(counts, numbers, lo, width);
  if (!isKept)
    for await (const { numbers } of readNumbers(source, parts, signal)) countInto(counts, numbers, lo, width);
  return { counts, lo, width, isWhole, extent };
}
