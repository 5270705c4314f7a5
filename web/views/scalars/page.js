// The scalars page: the pinned cards, then a card for each tag; or one card alone, as large as the page.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { drawNever, drawSoon } from "../../charts/draw_queue.js";
import { listed, scalarTags } from "../../state/catalogue.js";
import { followParameters } from "../../state/parameters.js";
import { drawnGroups } from "../../state/drawn_tags.js";
import { groups, tagRule } from "../../state/runs.js";
import { pins } from "../../state/scalar_view.js";
import { cardSize, opened } from "../../state/view.js";
import { t } from "../../state/words.js";
import { empty, loadingRuns, withoutMatch, withoutPlugin, withoutRuns } from "../empty_page.js";
import { tagGroups } from "../tag_groups.js";
import { cardMenu } from "./card_menu.js";
import "./scalar_card.js";
import { SIGNS } from "./signs.js";

export { toolbar } from "./toolbar.js";
export { ACTIONS, KEYS } from "./keys.js";

/** Why there are no cards; null when there are. */
function emptyPage() {
  const none = withoutRuns();
  if (none) return none;
  if (!scalarTags.value?.length) return listed.value?.loading ? loadingRuns() : withoutPlugin(t("empty.no_scalars"));
  if (drawnGroups.value.length || opened.value) return null;
  return groups.value.length ? empty("none_drawn", t("empty.not_in_drawn"), nothing) : withoutMatch();
}

export const content = () => emptyPage() ?? html`${isAlone() ? alone() : allCards()}${cardMenu()}`;

const isAlone = () => (scalarTags.value ?? []).includes(opened.value);

/** @param {string} tag */
const card = (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`;

const alone = () => html`<div class="groups alone" data-size=${cardSize.value}>${repeat([opened.value], (tag) => tag, card)}</div>`;

/** Cards that have their place at once; the places of thousands would hold up the page. */
const CARDS_AT_FIRST = 300;
/** Cards that get theirs between two drawings. */
const MORE_CARDS = 150;
/** How many cards have their place by now. */
const room = signal(CARDS_AT_FIRST);
const makeRoom = () => void (room.value += MORE_CARDS);

/** Pinned tags first, in the order in which they were pinned; each tag once. */
const arranged = computed(() => {
  const pinned = pins.value.filter((tag) => (scalarTags.value ?? []).includes(tag) && tagRule.value.keeps(tag));
  const isPinned = new Set(pinned);
  const others = drawnGroups.value.map(({ name, tags }) => ({ name, tags: tags.filter((tag) => !isPinned.has(tag)) })).filter(({ tags }) => tags.length);
  return { pinned, others };
});

function allCards() {
  const { pinned, others } = arranged.value;
  return html`${pinned.length ? pinnedCards(pinned) : nothing}${tagGroups(firstOf(others, room.value), (scalarTags.value?.length ?? 0) - pinned.length, card)}`;
}

/** @param {import("../../lib/tags.js").TagGroup[]} several @param {number} most tags of all of them */
function firstOf(several, most) {
  let left = most;
  return several.flatMap(({ name, tags }) => {
    const kept = tags.slice(0, Math.max(0, left));
    left -= tags.length;
    return kept.length ? [{ name, tags: kept }] : [];
  });
}

/** Gives the next cards their place when those before are drawn, until all have one. */
const followRoom = () =>
  effect(() => {
    const count = arranged.value.others.reduce((sum, { tags }) => sum + tags.length, 0);
    if (isAlone() || room.value >= count) return;
    drawSoon(makeRoom);
    return () => void drawNever(makeRoom);
  });

/** @param {string[]} tags */
const pinnedCards = (tags) => html`<div class="groups" data-size=${cardSize.value}>
  <section class="group" aria-label=${t("group.pinned")} data-group-of="pins">
    <h2 class="pins-title">${SIGNS.pin}<span>${t("group.pinned")}</span><span class="meta">${t("group.tags", { n: tags.length })}</span></h2>
    <div class="cards">${repeat(tags, (tag) => tag, card)}</div>
  </section>
</div>`;

export function follow() {
  const ends = [followParameters(), followOpened(), followRoom()];
  return () => ends.forEach((end) => end());
}

/** A card that comes back from the whole page stands where the eye left it. */
function followOpened() {
  let last = opened.peek();
  return effect(() => {
    const now = opened.value;
    const left = last;
    last = now;
    if (left === now) return;
    room.value = CARDS_AT_FIRST + (left ? arranged.peek().others.flatMap(({ tags }) => tags).indexOf(left) : 0);
    requestAnimationFrame(() => {
      const place = now ? document.querySelector(".groups.alone") : document.querySelector(`scalar-card[data-tag="${CSS.escape(left)}"]`);
      place?.scrollIntoView({ block: now ? "start" : "center" });
    });
  });
}
