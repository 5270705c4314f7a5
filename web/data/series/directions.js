// Whether the smallest or the largest value of a metric is its best, as far as the server knows it from the metric's name.

import { signal } from "@preact/signals-core";

/** @typedef {"min" | "max"} Best */

/** @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Best>>} */
const directions = signal(new Map());

/** Adds what a reply states. @param {Iterable<readonly [metric: string, best: Best]>} stated */
export function noteDirections(stated) {
  const added = [...stated].filter(([metric, best]) => directions.peek().get(metric) !== best);
  if (added.length) directions.value = new Map([...directions.peek(), ...added]);
}

/** @param {string} metric @returns {Best | undefined} undefined = its name does not say */
export const directionOf = (metric) => directions.value.get(metric);
