// The names of tags in titles: a long one keeps the words that distinguish it from the other tags.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { scalarTags } from "../data/catalogue.js";
import { cutGroup } from "../data/names.js";
import { listings } from "../data/plugin_tags.js";
import { shortened } from "../data/short_names.js";

/** Characters of a title. */
const CHARACTERS = 36;

const shortTags = computed(() => {
  const listed = listings.value.flatMap(({ runsByTag }) => [...runsByTag.value.keys()]);
  return shortened([...(scalarTags.value ?? []), ...listed], CHARACTERS);
});

/** The name of a tag, its group dimmed. @param {string} tag */
export function tagParts(tag) {
  const name = tag.length <= CHARACTERS ? tag : (shortTags.value.get(tag) ?? tag);
  const [group, leaf] = cutGroup(name);
  return html`${group ? html`<span class="path">${group}</span>` : nothing}<span class="leaf">${leaf}</span>`;
}
