// The cards of a page, in collapsible groups of tags.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { cardSize, change, closedGroups } from "../data/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { groupStyle } from "./grid_columns.js";
import { ICONS } from "./icons.js";

/** @typedef {import("../data/names.js").TagGroup} TagGroup */

/** @param {TagGroup[]} groups @param {number} count of all tags of the page, including those filtered out
 * @param {(tag: string) => unknown} card
 * @param {{tool?: (group: string) => unknown, flows?: boolean}} [options] tool: at the end of a group's header; flows:
 * small groups are side by side, as every card is one column wide */
export const tagGroups = (
  groups,
  count,
  card,
  { tool = () => nothing, flows = true } = {},
) => html`<div class="groups ${flows ? "flowing" : ""}" data-size=${cardSize.value}>
  ${repeat(
    groups,
    (group) => group.name,
    (group) => tagGroup(group, count, card, tool, flows),
  )}
</div>`;

/** @param {TagGroup} group @param {number} count @param {(tag: string) => unknown} card
 * @param {(group: string) => unknown} tool @param {boolean} flows */
function tagGroup({ name, tags }, count, card, tool, flows) {
  const open = !closedGroups.value.includes(name);
  const title = name || t("group.none");
  const alone = !name && tags.length === count;
  return html`
    <section class="group" aria-label=${title} data-group=${name} data-open=${open || alone}
      style=${flows ? groupStyle(tags.length) : nothing}>
      ${
        alone
          ? nothing
          : html`
        <h2><button class="group-switch" aria-expanded=${open} @click=${() => toggle(name)}>
          ${ICONS.chevron}<span class=${name ? "" : "dimmed"}>${title}</span><span
            class="meta">${t("group.tags", { n: grouped(tags.length) })}</span>
        </button>${open ? tool(name) : nothing}</h2>`
      }
      ${open || alone ? html`<div class="cards">${repeat(tags, (tag) => tag, card)}</div>` : nothing}
    </section>`;
}

/** @param {string} name */
function toggle(name) {
  const closed = closedGroups.peek();
  change({ closed: closed.includes(name) ? closed.filter((group) => group !== name) : [...closed, name] });
}
