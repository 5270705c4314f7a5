// The points of one series of tensors: evenly spread ones, more where they are cheap, and the one the address names.

import { computed, effect } from "@preact/signals-core";
import { Listing } from "../../data/listing.js";

/** @typedef {{step: number, wall_time: number | string, dims: number[], dtype: string, count: number, min: Value | null, max: Value | null, mean: Value | null,
 *   nan_count: number, pos_inf_count: number, neg_inf_count: number}} Entry a number that is not finite is a string */
/** @typedef {number | string} Value */

/** @typedef {object} Steps
 * @property {import("@preact/signals-core").ReadonlySignal<Entry[] | null>} entries by step, of equal steps the last; null before the first answer
 * @property {import("@preact/signals-core").ReadonlySignal<number>} total
 * @property {import("@preact/signals-core").ReadonlySignal<number>} damaged of those that would be listed
 * @property {import("@preact/signals-core").ReadonlySignal<boolean>} isPart are there points that are not listed?
 * @property {import("@preact/signals-core").ReadonlySignal<Listing | null>} listing null without a series
 * @property {import("@preact/signals-core").ReadonlySignal<Error | null>} error
 * @property {() => () => void} follow begins to ask
 */

const FEWEST = 50;
const MOST = 1000;
/** Elements the server may look at for one list. */
const ELEMENTS = 50_000_000;

/** @typedef {import("@preact/signals-core").ReadonlySignal<{run: string, tag: string, rank?: number, attempt?: number} | null>} SeriesName */

/** @param {SeriesName} series whose object changes only with the series @param {import("@preact/signals-core").ReadonlySignal<number | null>} named a step that must be among them
 * @returns {Steps} */
export function stepsOf(series, named) {
  const listing = computed(() => (series.value ? new Listing("tensors", { ...series.value, limit: FEWEST }) : null));
  const listed = computed(() => /** @type {Entry[] | null} */ (listing.value?.reply.value?.tensors ?? null));
  const missing = computed(() =>
    named.value !== null && listed.value && !listed.value.some(({ step }) => step === named.value) ? named.value : null,
  );
  const alone = computed(() =>
    series.value && missing.value !== null
      ? new Listing("tensors", { ...series.value, lo: missing.value, hi: missing.value, limit: 1 })
      : null,
  );
  const entries = computed(() => {
    const all = [...(listed.value ?? []), ...(alone.value?.reply.value?.tensors ?? [])];
    const isWaiting = alone.value && !alone.value.reply.value && !alone.value.error.value;
    return listed.value && !isWaiting
      ? [...new Map(all.map((entry) => [entry.step, entry])).values()].sort((a, b) => a.step - b.step)
      : null;
  });
  return {
    entries,
    listing,
    total: computed(() => listing.value?.reply.value?.total ?? 0),
    damaged: computed(() => listing.value?.reply.value?.damaged ?? 0),
    isPart: computed(() => {
      const reply = listing.value?.reply.value;
      return Boolean(reply) && reply.tensors.length + reply.damaged < reply.total;
    }),
    error: computed(() => listing.value?.error.value ?? null),
    follow: () =>
      together([
        effect(() => listing.value?.observe()),
        effect(() => alone.value?.observe()),
        effect(() => {
          const reply = listing.value?.reply.value;
          const limit = reply && cheapLimit(reply.tensors);
          if (series.value && limit && reply.total > reply.tensors.length)
            listing.value?.setQuery({ ...series.value, limit });
        }),
      ]),
  };
}

/** As many steps as the server can look through in about the blink of an eye.
 * @param {Entry[]} entries */
function cheapLimit(entries) {
  const largest = entries.reduce((most, { count }) => Math.max(most, count), 1);
  return Math.max(FEWEST, Math.min(MOST, Math.floor(ELEMENTS / largest)));
}

/** @param {Array<() => void>} ends */
export const together = (ends) => () => {
  for (const end of ends) end();
};

/** "NaN" and "Infinity" are what Number makes of them; null is NaN.
 * @param {Value | null} value */
export const numberOf = (value) => (value === null ? NaN : Number(value));
