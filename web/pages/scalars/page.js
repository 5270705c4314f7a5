// The scalars page: the pinned cards, then a card for each tag; or one enlarged card.

import { effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { showCard } from "../../controls/card_block.js";
import { loadingRuns, noMatch, noneDrawn, noPlugin, noRuns } from "../../controls/empty_state.js";
import { groupStyle } from "../../controls/grid_columns.js";
import { cardsHeading, tagGroups } from "../../controls/tag_groups.js";
import { stopAll } from "../../data/client/stop_all.js";
import { runsReply, scalarTags } from "../../data/runs/catalogue.js";
import { drawnRuns, groups } from "../../data/runs/runs.js";
import { isLogGroup, toggleLogGroup } from "../../data/series/scalar_view.js";
import { followStepMetrics } from "../../data/series/step_metrics.js";
import { ownX } from "../../data/series/x_axis.js";
import { drawnGroups } from "../../data/tags/visible_tags.js";
import { cardSize, logarithmic, opened } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { followDrags } from "./card_drag.js";
import { cardMenu } from "./card_menu.js";
import { isEnlarged, pinned, sections } from "./card_slots.js";
import { followOrder } from "./model/card_order.js";
import { t } from "./words.js";
import { ownXChoice } from "./x_choice.js";
import "./scalar_card.js";
import { ICONS as CARD_ICONS } from "./icons.js";

export { ACTIONS, KEYS } from "./keys.js";
export { toolbar } from "./toolbar.js";

/** The reason why there are no cards; null if there are. */
function emptyPage() {
  const none = noRuns();
  if (none) return none;
  if (!scalarTags.value?.length) return runsReply.value?.loading ? loadingRuns() : noPlugin(t("empty.no_scalars"));
  if (!drawnRuns.value.length) return noneDrawn();
  if (drawnGroups.value.length || opened.value !== null) return null;
  return groups.value.length ? noneDrawn() : noMatch();
}

export const content = () => emptyPage() ?? html`${isEnlarged.value ? enlarged() : allCards()}${cardMenu()}`;

/** @param {string} tag */
const card = (tag) => html`<scalar-card .tag=${tag} data-tag=${tag}></scalar-card>`;

const enlarged = () =>
  html`<div class="groups alone" data-size=${cardSize.value}>${cardsHeading()}${repeat(opened.value === null ? [] : [opened.value], (tag) => tag, card)}</div>`;

function allCards() {
  const count = (scalarTags.value?.length ?? 0) - pinned.value.length;
  return html`${pinned.value.length ? pinnedCards(pinned.value) : nothing}${tagGroups(sections.value, count, card, { tool: toolsOfGroup, grows: true })}`;
}

/** @param {string} group */
const toolsOfGroup = (group) =>
  group
    ? html`<span class="group-tools" data-own=${ownX.value.has(group)}>${ownXChoice(group)}${logOfGroup(group)}</span>`
    : nothing;

/** A switch for the y axes of a section; none while all axes are logarithmic.
 * @param {string} group */
const logOfGroup = (group) =>
  logarithmic.value
    ? nothing
    : html`<button class="quiet group-log" data-key="group-log" aria-pressed=${isLogGroup(group)}
        title=${t("group.log_hint")} @click=${() => toggleLogGroup(group)}>${t("bar.log")}</button>`;

/** @param {string[]} tags */
const pinnedCards = (tags) => html`<div class="groups flowing" data-size=${cardSize.value}>
  <section class="group" aria-label=${t("group.pinned")} data-group-of="pins" style=${groupStyle(tags.length)}>
    <h2 class="pins-title">${CARD_ICONS.pin}<span>${t("group.pinned")}</span><span
      class="meta">${t("group.tags", { n: grouped(tags.length) })}</span></h2>
    <div class="cards">${repeat(tags, (tag) => tag, card)}</div>
  </section>
</div>`;

export function follow() {
  return stopAll([followStepMetrics(), followOrder(), followOpened(), followDrags()]);
}

/** Scrolls to the enlarged card, and back to its place. */
function followOpened() {
  let last = opened.peek();
  return effect(() => {
    const now = opened.value;
    const left = last;
    last = now;
    if (left === now) return;
    requestAnimationFrame(() => {
      if (now !== null) return document.querySelector(".groups.alone")?.scrollIntoView({ block: "start" });
      if (left === null) return;
      showCard(left);
      document.querySelector(`scalar-card[data-tag="${CSS.escape(left)}"]`)?.scrollIntoView({ block: "center" });
    });
  });
}
