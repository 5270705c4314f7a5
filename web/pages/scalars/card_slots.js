// Which cards have their place by now: some at once, more between two drawings. Places of thousands would hold up the page.

import { computed, effect, signal } from "@preact/signals-core";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";
import { scalarTags } from "../../data/catalogue.js";
import { tagRule } from "../../data/runs.js";
import { pins } from "../../data/scalar_view.js";
import { closedGroups, opened } from "../../data/view.js";
import { drawnGroups } from "../../data/visible_tags.js";
import { arrange } from "./model/card_order.js";

/** Cards that get their place at a time. */
const AT_ONCE = 80;

/** Tags whose cards have a place. @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
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

/** Those of them that have a place, or get one now. A closed group has no cards. */
export const places = computed(() => {
  const closed = new Set(closedGroups.value);
  let room = AT_ONCE;
  const isHere = (/** @type {string} */ tag) => placed.value.has(tag) || room-- > 0;
  return others.value
    .map(({ name, tags }) => ({ name, tags: closed.has(name) ? tags : tags.filter(isHere) }))
    .filter(({ tags }) => tags.length);
});

/** Is one card alone on the page? */
export const isAlone = computed(() => (scalarTags.value ?? []).includes(opened.value));

/** Gives the next cards their place when those before are drawn, until all have one; ends with none.  */
export function followPlaces() {
  const end = effect(() => {
    const closed = new Set(closedGroups.value);
    const here = isAlone.value ? [] : places.value.flatMap(({ name, tags }) => (closed.has(name) ? [] : tags));
    if (here.length === placed.value.size && here.every((tag) => placed.value.has(tag))) return;
    const take = () => void (placed.value = new Set(here));
    drawSoon(take);
    return () => void drawNever(take);
  });
  return () => {
    end();
    placed.value = new Set();
  };
}

/** Gives all cards up to that of a tag their place, so that it can be scrolled to.
 * @param {string} last */
export function placeUpTo(last) {
  const tags = others.peek().flatMap((group) => group.tags);
  placed.value = new Set(tags.slice(0, tags.indexOf(last) + 1));
}
