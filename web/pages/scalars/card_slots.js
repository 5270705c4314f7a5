// Which cards are on the scalars page: the pinned ones, then all others in sections; or one enlarged card.

import { computed } from "@preact/signals-core";
import { scalarTags } from "../../data/runs/catalogue.js";
import { tagRule } from "../../data/runs/runs.js";
import { pins } from "../../data/series/scalar_view.js";
import { sectionsOf } from "../../data/tags/sections.js";
import { drawnGroups } from "../../data/tags/visible_tags.js";
import { opened } from "../../data/view/view.js";
import { arrange } from "./model/card_order.js";

/** Pinned tags, in the order in which they were pinned. */
export const pinned = computed(() =>
  pins.value.filter((tag) => (scalarTags.value ?? []).includes(tag) && tagRule.value.keeps(tag)),
);

/** The sections of all other tags, in the chosen order. */
export const sections = computed(() => {
  const isPinned = new Set(pinned.value);
  const others = arrange(drawnGroups.value).map(({ name, tags }) => ({
    name,
    tags: tags.filter((tag) => !isPinned.has(tag)),
  }));
  return sectionsOf(others.filter(({ tags }) => tags.length));
});

/** Is a single card enlarged? */
export const isEnlarged = computed(() => (scalarTags.value ?? []).some((tag) => tag === opened.value));
