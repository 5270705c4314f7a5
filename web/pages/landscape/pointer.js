// The pointed step of the training and the pointed position on a plane, shared by maps, surface, slices and loss curve.

import { computed, signal } from "@preact/signals-core";
import { landscapes } from "./model/landscapes.js";
import { planeOf } from "./model/plane.js";
import { pin } from "./settings.js";

/** The pointed step; null = none. @type {import("@preact/signals-core").Signal<number | null>} */
export const pointedMoment = signal(null);

/** A position on a plane; all landscapes on that plane show it.
 * @typedef {{plane: string, x: number, y: number}} Place */

/** The pointed position; null = none. @type {import("@preact/signals-core").Signal<Place | null>} */
export const pointedPlace = signal(null);

const first = computed(() => landscapes.value[0]?.landscape ?? null);

/** The pointed position, else the pinned one; null without either.
 * @type {import("@preact/signals-core").ReadonlySignal<Place | null>} */
export const cursor = computed(
  () => pointedPlace.value ?? (pin.value && first.value ? { plane: planeOf(first.value), ...pin.value } : null),
);

/** The position through which slices are cut: the cursor, else the model at the origin, else the centre.
 * @type {import("@preact/signals-core").ReadonlySignal<Place | null>} */
export const sliced = computed(() => {
  if (cursor.value || !first.value || first.value.error || !first.value.z.length) return cursor.value;
  const { x, y } = first.value;
  const within = (/** @type {Float64Array} */ axis) => {
    const [from, to] = [axis[0], axis[axis.length - 1]];
    return from * to <= 0 ? 0 : (from + to) / 2;
  };
  return { plane: planeOf(first.value), x: within(x), y: within(y) };
});
