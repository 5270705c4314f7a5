// Looks through the elements of a slice, a piece at a time, so that the page stays free: all of few, evenly spread ones of many.

import { effect, signal } from "@preact/signals-core";
import { numbersOf } from "./model/npy.js";
import { countOf, piecesOf, thinned } from "./model/slice.js";
import { addDifferences, binsOf, countInto, noDistance, noExtent, stretch } from "./model/statistics.js";

/** @typedef {import("./displayed_slice.js").Source} Source */
/** @typedef {import("./model/slice.js").Part} Part */

/** `covered` of `total` elements were looked at, those that `parts` says.
 * @template Found
 * @typedef {{key: string, covered: number, total: number, parts: Part[], found: Found}} Survey */

/** More elements are read only when they are asked for. */
export const MOST = 1_000_000;
/** Elements that are fetched, and looked at, in one go. */
const FETCHED = 262_144;
const LOOKED_AT = 65_536;

/** The key of the source of which every element was asked for. */
const whole = signal("");
/** @param {string} key */
export const surveyWhole = (key) => (whole.value = key);

/** Surveys whatever source is shown.
 * @template Found
 * @param {import("@preact/signals-core").ReadonlySignal<Source | null>} source
 * @param {(source: Source, parts: Part[], signal: AbortSignal) => Promise<Found>} measure */
export function surveyOf(source, measure) {
  /** @type {import("@preact/signals-core").Signal<Survey<Found> | null>} */
  const survey = signal(null);
  /** @type {import("@preact/signals-core").Signal<Error | null>} */
  const error = signal(null);
  const run = async (/** @type {Source} */ shown, /** @type {Part[]} */ parts, /** @type {AbortSignal} */ stop) => {
    try {
      const found = await measure(shown, parts, stop);
      if (stop.aborted) return;
      survey.value = { key: shown.key, covered: countOf(parts), total: shown.layout.count, parts, found };
      error.value = null;
    } catch (reason) {
      if (!stop.aborted) error.value = /** @type {Error} */ (reason);
    }
  };
  const follow = () =>
    effect(() => {
      const shown = source.value;
      if (!shown) return;
      const stop = new AbortController();
      run(shown, whole.value === shown.key ? shown.layout.parts : thinned(shown.layout.parts, MOST), stop.signal);
      return () => stop.abort();
    });
  return { survey, error, follow };
}

/** @param {Source} source @param {Part[]} parts @param {AbortSignal} signal */
async function* numbersIn(source, parts, signal) {
  for (const piece of piecesOf(parts, FETCHED)) {
    const elements = await source.read(piece, signal);
    for (let from = 0; from < elements.count; from += LOOKED_AT) {
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
      yield { numbers: numbersOf(elements, from, Math.min(from + LOOKED_AT, elements.count)), kind: elements.kind };
    }
  }
}

/** @param {Source} source @param {Part[]} parts @param {AbortSignal} signal */
export async function distanceIn(source, parts, signal) {
  const distance = noDistance();
  for await (const { numbers } of numbersIn(source, parts, signal)) addDifferences(distance, numbers);
  return distance;
}

/** Many bins, of which a drawing takes as many together as it has room for. */
const BINS = 60;

/** @typedef {{counts: Float64Array, lo: number, width: number, isWhole: boolean, extent: import("./model/statistics.js").Extent}} Histogram */

/** How the elements are spread; they are read twice when there are too many to be kept.
 * @param {Source} source @param {Part[]} parts @param {AbortSignal} signal @returns {Promise<Histogram>} */
export async function histogramIn(source, parts, signal) {
  const extent = noExtent();
  const kept = [];
  let isWhole = true;
  const isKept = countOf(parts) <= MOST;
  for await (const { numbers, kind } of numbersIn(source, parts, signal)) {
    stretch(extent, numbers);
    isWhole &&= kind === "integer" || kind === "bool";
    if (isKept) kept.push(numbers);
  }
  if (!extent.finite) return { counts: new Float64Array(0), lo: 0, width: 1, isWhole, extent };
  const { lo, width, bins } = binsOf(extent.min, extent.max, isWhole, BINS);
  const counts = new Float64Array(bins);
  for (const numbers of kept) countInto(counts, numbers, lo, width);
  if (!isKept) for await (const { numbers } of numbersIn(source, parts, signal)) countInto(counts, numbers, lo, width);
  return { counts, lo, width, isWhole, extent };
}
