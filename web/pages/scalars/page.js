// The scalars page: the pinned cards, then a card for each tag; or one card alone, as large as the page.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { empty, loadingRuns, withoutMatch, withoutPlugin, withoutRuns } from "../../controls/empty_state.js";
import { tagGroups } from "../../controls/tag_groups.js";
import { listed, scalarTags } from "../../data/catalogue.js";
import { groups } from "../../data/runs.js";
import { cardSize, opened } from "../../data/view.js";
import { drawnGroups } from "../../data/visible_tags.js";
import { followMoves } from "./card_drag.js";
import { cardMenu } from "./card_menu.js";
import { followPlaces, isAlone, pinned, places, placeUpTo } from "./card_slots.js";
import { followOrder } from "./model/card_order.js";
import { followParameters } from "./model/parameters.js";
import { t } from "./words.js";
import "./scalar_card.js";
import { SIGNS } from "./badges.js";

export { ACTIONS, KEYS } from "./keys.js";
export { toolbar } from "./toolbar.js";

/** Why there are no cards; null when there are. */
function emptyPage() {
  const none = withoutRuns();
  if (none) return none;
  if (!scalarTags.value?.length) return listed.value?.loading ? loadingRuns() : withoutPlugin(t("empty.no_scalars"));
  if (drawnGroups.value.length || opened.value) return null;
  return groups.value.length ? empty("none_drawn", t("empty.not_in_drawn"), nothing) : withoutMatch();
}

export const content = () => emptyPage() ?? html`${isAlone.value ? alone() : allCards()}${cardMenu()}`;

/** @param {string} tag */
const card = (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`;

const alone = () =>
  html`<div class="groups alone" data-size=${cardSize.value}>${repeat([opened.value], (tag) => tag, card)}</div>`;

function allCards() {
  const count = (scalarTags.value?.length ?? 0) - pinned.value.length;
  return html`${pinned.value.length ? pinnedCards(pinned.value) : nothing}${tagGroups(places.value, count, card)}`;
}

/** @param {string[]} tags */
const pinnedCards = (tags) => html`<div class="groups" data-size=${cardSize.value}>
  <section class="group" aria-label=${t("group.pinned")} data-group-of="pins">
    <h2 class="pins-title">${SIGNS.pin}<span>${t("group.pinned")}</span><span class="meta">${t("group.tags", { n: tags.length })}</span></h2>
    <div class="cards">${repeat(tags, (tag) => tag, card)}</div>
  </section>
</div>`;

export function follow() {
  const ends = [followParameters(), followOrder(), followPlaces(), followOpened(), followMoves()];
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
    if (left) placeUpTo(left);
    requestAnimationFrame(() => {
      const place = now
        ? document.querySelector(".groups.alone")
        : document.querySelector(`scalar-card[data-tag="${CSS.escape(left)}"]`);
      place?.scrollIntoView({ block: now ? "start" : "center" });
    });
  });
}
