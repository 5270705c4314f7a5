// Adds cards to the page in steps: the elements of thousands of cards would block it.

import { computed, effect, signal } from "@preact/signals-core";
import { cancelDraw, scheduleDraw } from "../../charts/draw_queue.js";
import { scalarTags } from "../../data/catalogue.js";
import { tagRule } from "../../data/runs.js";
import { pins } from "../../data/scalar_view.js";
import { closedGroups, opened } from "../../data/view.js";
import { drawnGroups } from "../../data/visible_tags.js";
import { arrange } from "./model/card_order.js";

/** Cards added in one step. */
const AT_ONCE = 80;

/** Tags whose cards are on the page. @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
const placed = signal(new Set());

/** Pinned tags, in the order in which they were pinned. */
export const pinned = computed(() =>
  pins.value.filter((tag) => (scalarTags.value ?? []).includes(tag) && tagRule.value.keeps(tag)),
);

/** All other tags, by group, in the chosen order. */
const others = computed(() => {
  const isPinned = new Set(pinned.value);
  return arrange(drawnGroups.value).map(({ name, tags }) => ({ name, tags: tags.filter((tag) => !isPinned.has(tag)) }));
});

/** The tags on the page, including those added in this step. A closed group has no cards. */
export const places = computed(() => {
  const closed = new Set(closedGroups.value);
  let free = AT_ONCE;
  const isPlaced = (/** @type {string} */ tag) => placed.value.has(tag) || free-- > 0;
  return others.value
    .map(({ name, tags }) => ({ name, tags: closed.has(name) ? tags : tags.filter(isPlaced) }))
    .filter(({ tags }) => tags.length);
});

/** Is a single card enlarged? */
export const isEnlarged = computed(() => (scalarTags.value ?? []).includes(opened.value));

/** Adds the next cards when the previous ones are drawn, until all are on the page, or the returned function is called.
 */
export function followPlaces() {
  const end = effect(() => {
    const closed = new Set(closedGroups.value);
    const tags = isEnlarged.value ? [] : places.value.flatMap(({ name, tags }) => (closed.has(name) ? [] : tags));
    if (tags.length === placed.value.size && tags.every((tag) => placed.value.has(tag))) return;
    const publish = () => void (placed.value = new Set(tags));
    scheduleDraw(publish);
    return () => void cancelDraw(publish);
  });
  return () => {
    end();
    placed.value = new Set();
  };
}

/** Adds all cards up to that of a tag, so that it can be scrolled to.
 * @param {string} last */
export function placeUpTo(last) {
  const tags = others.peek().flatMap((group) => group.tags);
  placed.value = new Set(tags.slice(0, tags.indexOf(last) + 1));
}
