// The steps of one series of tensors: an evenly spread selection, more if they are cheap, and a required one.

import { computed, effect } from "@preact/signals-core";
import { Listing } from "../../data/tags/listing.js";

/**
 * @typedef {{step: number, wall_time: number | string, dims: number[], dtype: string, count: number, min: Value | null,
 *   max: Value | null, mean: Value | null,
 *   nan_count: number, pos_inf_count: number, neg_inf_count: number}} Entry non-finite numbers are strings */
/** @typedef {number | string} Value */

/** @typedef {object} Steps
 * @property {import("@preact/signals-core").ReadonlySignal<Entry[] | null>} entries by step, of equal steps the last;
 *   null until loaded
 * @property {import("@preact/signals-core").ReadonlySignal<number>} total
 * @property {import("@preact/signals-core").ReadonlySignal<number>} damaged records among the listed steps
 * @property {import("@preact/signals-core").ReadonlySignal<boolean>} isIncomplete whether there are steps that are not
 *   listed
 * @property {import("@preact/signals-core").ReadonlySignal<Listing | null>} listing null if there is no series
 * @property {import("@preact/signals-core").ReadonlySignal<Error | null>} error
 * @property {() => () => void} follow loads until the returned function is called
 */

const MIN_STEPS = 50;
const MAX_STEPS = 1000;
/** Elements that the server may read for one list. */
const MAX_ELEMENTS = 50_000_000;

/**
 * @typedef {import("@preact/signals-core").ReadonlySignal<{run: string, tag: string, rank?: number, attempt?: number} |
 *   null>} SeriesName
 */

/**
 * @param {SeriesName} series must change only with the series
 * @param {import("@preact/signals-core").ReadonlySignal<number | null>} requiredStep a step that must be included
 * @returns {Steps} */
export function stepsOf(series, requiredStep) {
  const listing = computed(() => (series.value ? new Listing("tensors", { ...series.value, limit: MIN_STEPS }) : null));
  const listed = computed(() => /** @type {Entry[] | null} */ (listing.value?.reply.value?.tensors ?? null));
  const missing = computed(() =>
    requiredStep.value !== null && listed.value && !listed.value.some(({ step }) => step === requiredStep.value)
      ? requiredStep.value
      : null,
  );
  const requiredListing = computed(() =>
    series.value && missing.value !== null
      ? new Listing("tensors", { ...series.value, lo: missing.value, hi: missing.value, limit: 1 })
      : null,
  );
  const entries = computed(() => {
    const all = [...(listed.value ?? []), ...(requiredListing.value?.reply.value?.tensors ?? [])];
    const isWaiting = requiredListing.value && !requiredListing.value.reply.value && !requiredListing.value.error.value;
    return listed.value && !isWaiting
      ? [...new Map(all.map((entry) => [entry.step, entry])).values()].sort((a, b) => a.step - b.step)
      : null;
  });
  return {
    entries,
    listing,
    total: computed(() => listing.value?.reply.value?.total ?? 0),
    damaged: computed(() => listing.value?.reply.value?.damaged ?? 0),
    isIncomplete: computed(() => {
      const reply = listing.value?.reply.value;
      return Boolean(reply) && reply.tensors.length + reply.damaged < reply.total;
    }),
    error: computed(() => listing.value?.error.value ?? null),
    follow: () =>
      disposeAll([
        effect(() => listing.value?.observe()),
        effect(() => requiredListing.value?.observe()),
        effect(() => {
          const reply = listing.value?.reply.value;
          const limit = reply && cheapLimit(reply.tensors);
          if (series.value && limit && reply.total > reply.tensors.length)
            listing.value?.setQuery({ ...series.value, limit });
        }),
      ]),
  };
}

/** The number of steps that the server can list in a fraction of a second.
 * @param {Entry[]} entries */
function cheapLimit(entries) {
  const largest = entries.reduce((maximum, { count }) => Math.max(maximum, count), 1);
  return Math.max(MIN_STEPS, Math.min(MAX_STEPS, Math.floor(MAX_ELEMENTS / largest)));
}

/** @param {Array<() => void>} disposers */
export const disposeAll = (disposers) => () => {
  for (const dispose of disposers) dispose();
};

/** Converts "NaN", "Infinity" and null (as NaN) to numbers.
 * @param {Value | null} value */
export const numberOf = (value) => (value === null ? NaN : Number(value));
