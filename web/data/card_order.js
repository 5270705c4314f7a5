// In which order cards stand: as their tags are called, as they changed last, or as a hand put them.

import { naturally } from "./natural_order.js";

/** @typedef {import("./names.js").TagGroup} TagGroup */

/** What changed within so many seconds changed together: a training writes many tags in one step. */
const TOGETHER = 10;

/** The newest change first, of groups and of the tags in them; what is not known to have changed comes last.
 * @param {readonly TagGroup[]} groups @param {ReadonlyMap<string, number>} changedAt seconds by tag @returns {TagGroup[]} */
export function byChange(groups, changedAt) {
  const at = (/** @type {string} */ tag) => Math.round((changedAt.get(tag) ?? -Infinity) / TOGETHER);
  const newest = (/** @type {TagGroup} */ { tags }) =>
    tags.reduce((latest, tag) => Math.max(latest, at(tag)), -Infinity);
  const later = (/** @type {number} */ one, /** @type {number} */ other) => (one === other ? 0 : other - one);
  const sorted = groups.map(({ name, tags }) => ({
    name,
    tags: tags.toSorted((a, b) => later(at(a), at(b)) || naturally(a, b)),
  }));
  return sorted.toSorted((a, b) => later(newest(a), newest(b)));
}

/** The tags that a hand put somewhere first, in its order; the others as they are.
 * @param {readonly TagGroup[]} groups @param {readonly string[]} hand @returns {TagGroup[]} */
export function byHand(groups, hand) {
  const place = new Map(hand.map((tag, index) => [tag, index]));
  const at = (/** @type {string} */ tag) => place.get(tag) ?? place.size;
  return groups.map(({ name, tags }) => ({ name, tags: tags.toSorted((a, b) => at(a) - at(b)) }));
}

/** A list in which a tag has come to the place of another.
 * @param {readonly string[]} tags @param {string} tag @param {string} other */
export function movedTo(tags, tag, other) {
  const place = tags.indexOf(other);
  return place < 0 || !tags.includes(tag) ? [...tags] : tags.filter((one) => one !== tag).toSpliced(place, 0, tag);
}

/** What must be remembered of the order of the cards of one group, as few tags as possible: behind them names are in order.
 * @param {readonly string[]} hand as it was @param {readonly string[]} shown the group's tags as they are to stand */
export function rememberedOrder(hand, shown) {
  let kept = shown.length;
  while (kept > 0 && (kept === shown.length || naturally(shown[kept - 1], shown[kept]) <= 0)) kept--;
  const isShown = new Set(shown);
  return [...hand.filter((tag) => !isShown.has(tag)), ...shown.slice(0, kept)];
}
