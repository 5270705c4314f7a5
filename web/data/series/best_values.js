// Whether the smallest or the largest value of a metric is its best: by its name, or the user's choice in the URL.

import { computed } from "@preact/signals-core";
import { parsePairs, printPairs } from "../view/address_lists.js";
import { set, setting } from "../view/view.js";
import { directionOf } from "./directions.js";

/** @typedef {import("./directions.js").Best} Best */

const bestText = setting("over.best", /** @type {string} */ (""));
const chosenBest = computed(() => parsePairs(bestText.value));
/** Is the smallest or the largest value of a metric its best?
 * @param {string} tag @returns {Best} */
export const bestOf = (tag) => {
  const chosen = chosenBest.value.get(tag);
  return chosen === "min" || chosen === "max" ? chosen : (directionOf(tag) ?? "max");
};
/** Neither value of an unknown metric is praised. @param {string} tag */
export const isBestKnown = (tag) => chosenBest.value.has(tag) || directionOf(tag) !== undefined;
/** @param {string} tag */
export function toggleBest(tag) {
  const all = new Map(chosenBest.peek());
  const other = bestOf(tag) === "min" ? "max" : "min";
  if (other === directionOf(tag)) all.delete(tag);
  else all.set(tag, other);
  set({ "over.best": printPairs(all) });
}
