// Where the reader points: a step of the training, on a path or on the loss curve; a place, on a map, a surface or a
// slice.

import { computed, signal } from "@preact/signals-core";
import { landscapes } from "./model/landscapes.js";
import { planeOf } from "./model/plane.js";
import { pin } from "./settings.js";

/** A step; null = none. @type {import("@preact/signals-core").Signal<number | null>} */
export const pointedMoment = signal(null);

/** A place on a plane; all landscapes on that plane show it. @typedef {{plane: string, x: number, y: number}} Place */

/** null = none. @type {import("@preact/signals-core").Signal<Place | null>} */
export const pointedPlace = signal(null);

const first = computed(() => landscapes.value[0]?.landscape ?? null);

/** What is pointed at, else what was clicked; null without either.
 * @type {import("@preact/signals-core").ReadonlySignal<Place | null>} */
export const cursor = computed(
  () => pointedPlace.value ?? (pin.value && first.value ? { plane: planeOf(first.value), ...pin.value } : null),
);

/** Where the slices go through: the cursor, else the model itself, where the axes begin; else the middle.
 * @type {import("@preact/signals-core").ReadonlySignal<Place | null>} */
export const sliced = computed(() => {
  if (cursor.value || !first.value || first.value.error || !first.value.z.length) return cursor.value;
  const { x, y } = first.value;
  const within = (/** @type {Float64Array} */ axis) => {
    const [one, other] = [axis[0], axis[axis.length - 1]];
    return one * other <= 0 ? 0 : (one + other) / 2;
  };
  return { plane: planeOf(first.value), x: within(x), y: within(y) };
});
