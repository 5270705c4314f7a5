// The settings of samples in the URL: what is searched, the order, the opened sample and the one beside it.

import { computed } from "@preact/signals-core";
import { set, setting } from "../../../data/view/view.js";

export const search = setting("text.find", "");
const column = setting("text.sort", "");
const direction = setting("text.order", "ascending", ["ascending", "descending"]);

/** How all tables are searched and sorted. */
export const order = computed(() => ({
  search: search.value,
  sort: column.value,
  descending: direction.value === "descending",
}));

export const find = (/** @type {string} */ text) => set({ "text.find": text });

/** Sorts by a column: first the largest, then the smallest, then as recorded. @param {string} name */
export function sortBy(name) {
  const { sort, descending } = order.peek();
  const isOwn = sort === name;
  set({ "text.sort": isOwn && !descending ? "" : name, "text.order": isOwn ? "" : "descending" });
}

const opened = setting("text.sample", "");

/** The sample that is shown as a whole: its key, tag and run. One at a time.
 * @param {string} key @param {string} tag @param {string} run */
export const isOpened = (key, tag, run) => opened.value === nameOf(key, tag, run);

/** @param {string} key @param {string} tag @param {string} run */
export const toggle = (key, tag, run) =>
  set({ "text.sample": opened.peek() === nameOf(key, tag, run) ? "" : nameOf(key, tag, run) });

/** @param {string} key @param {string} tag @param {string} run */
const nameOf = (key, tag, run) => [key, tag, run].join("\n");

const besideText = setting("text.beside", "");

/** The run and the step of the sample that is shown beside the opened one; null = none. */
export const beside = computed(() => {
  const found = /^(-?\d+) (.+)$/s.exec(besideText.value);
  return found ? { step: Number(found[1]), run: found[2] } : null;
});

/** @param {{step: number, run: string} | null} place */
export const setBeside = (place) => set({ "text.beside": place ? `${place.step} ${place.run}` : "" });
