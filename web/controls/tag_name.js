// The names of tags in titles: a long one keeps the words that distinguish it from the other tags.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { scalarTags } from "../data/runs/catalogue.js";
import { shortened } from "../data/runs/short_names.js";
import { cutGroup } from "../data/tags/names.js";
import { listings } from "../data/tags/plugin_tags.js";
import { cardSize } from "../data/view/view.js";

/** An empty name, which is legal. */
const NAMELESS = "“”";
/** Characters of a title, by the size of the cards. */
const CHARACTERS = { s: 26, m: 38, l: 70 };

const shortTags = computed(() => {
  const listed = listings.value.flatMap(({ runsByTag }) => [...runsByTag.value.keys()]);
  return shortened([...(scalarTags.value ?? []), ...listed], CHARACTERS[cardSize.value]);
});

/** The name of a tag, its group dimmed. @param {string} tag @param {boolean} [isWhole] not shortened */
export function tagParts(tag, isWhole = false) {
  const fits = isWhole || tag.length <= CHARACTERS[cardSize.value];
  const [group, leaf] = cutGroup(fits ? tag : (shortTags.value.get(tag) ?? tag));
  return html`${group ? html`<span class="path">${group}</span>` : nothing}<span class="leaf">${leaf || NAMELESS}</span>`;
}
