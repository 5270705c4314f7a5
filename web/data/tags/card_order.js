// The order of cards: by name, by last change, or manual.

import { compareNatural } from "../text/natural_order.js";

/** @typedef {import("./names.js").TagGroup} TagGroup */

/** Changes within this many seconds count as simultaneous: a training writes many tags in one step. */
const TOGETHER = 10;

/** Sorts groups, and the tags in them, by their newest change; those without a known change are last.
 * @param {readonly TagGroup[]} groups @param {ReadonlyMap<string, number>} changedAt seconds by tag
 * @returns {TagGroup[]} */
export function sortedByChange(groups, changedAt) {
  const at = (/** @type {string} */ tag) => Math.round((changedAt.get(tag) ?? -Infinity) / TOGETHER);
  const newest = (/** @type {TagGroup} */ { tags }) =>
    tags.reduce((latest, tag) => Math.max(latest, at(tag)), -Infinity);
  const descending = (/** @type {number} */ a, /** @type {number} */ b) => (a === b ? 0 : b - a);
  const sorted = groups.map(({ name, tags }) => ({
    name,
    tags: tags.toSorted((a, b) => descending(at(a), at(b)) || compareNatural(a, b)),
  }));
  return sorted.toSorted((a, b) => descending(newest(a), newest(b)));
}

/** Puts manually ordered tags first; the others keep their order.
 * @param {readonly TagGroup[]} groups @param {readonly string[]} manualOrder @returns {TagGroup[]} */
export function inManualOrder(groups, manualOrder) {
  const place = new Map(manualOrder.map((tag, index) => [tag, index]));
  const at = (/** @type {string} */ tag) => place.get(tag) ?? place.size;
  return groups.map(({ name, tags }) => ({ name, tags: tags.toSorted((a, b) => at(a) - at(b)) }));
}

/** Returns the list with a tag moved to the place of another.
 * @param {readonly string[]} tags @param {string} tag @param {string} other */
export function movedTo(tags, tag, other) {
  const place = tags.indexOf(other);
  return place < 0 || !tags.includes(tag)
    ? [...tags]
    : tags.filter((member) => member !== tag).toSpliced(place, 0, tag);
}

/** Returns the shortest manual order that yields this order of a group's cards: the tags after it are in natural order.
 * @param {readonly string[]} manualOrder the previous one
 * @param {readonly string[]} shown the group's tags in their new order */
export function shortestOrder(manualOrder, shown) {
  let kept = shown.length;
  while (kept > 0 && (kept === shown.length || compareNatural(shown[kept - 1], shown[kept]) <= 0)) kept--;
  const isShown = new Set(shown);
  return [...manualOrder.filter((tag) => !isShown.has(tag)), ...shown.slice(0, kept)];
}
