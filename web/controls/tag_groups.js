// The cards of a page, in collapsible sections of tags at any depth.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { isClosed, toggled } from "../data/tags/sections.js";
import { cardSize, change, closedGroups } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { cardsInRow, groupStyle } from "./grid_columns.js";
import { ICONS } from "./icons.js";
import "./card_block.js";

/** @typedef {import("../data/tags/sections.js").Section} Section */

/** Cards of a block; all blocks but the last of a section have full rows. */
const CARDS_IN_BLOCK = 48;
/** Cards that are created at once. */
const FIRST_CARDS = 48;

/** How the sections of a page are shown.
 * @typedef {object} Look
 * @property {number} count of all tags of the page, including those filtered out
 * @property {(tag: string) => unknown} card
 * @property {(section: string) => unknown} tool at the end of a section's header
 * @property {boolean} flows small sections are side by side, as every card is one column wide
 * @property {{left: number}} first how many cards are still created at once
 */

/** @param {readonly Section[]} sections @param {number} count of all tags of the page, including those filtered out
 * @param {(tag: string) => unknown} card
 * @param {{tool?: (section: string) => unknown, flows?: boolean, grows?: boolean}} [options] see Look; `grows`: the cards of a
 * short page are as high as the window has room for */
export function tagGroups(sections, count, card, { tool = () => nothing, flows = true, grows = false } = {}) {
  /** @type {Look} */
  const look = { count, card, tool, flows, first: { left: FIRST_CARDS } };
  return html`<div class="groups ${flows ? "flowing" : ""} ${grows ? "growing" : ""}" data-size=${cardSize.value}>${all(sections, look, 2)}</div>`;
}

/** @param {readonly Section[]} sections @param {Look} look @param {number} level of the headings @returns {unknown} */
const all = (sections, look, level) =>
  repeat(
    sections,
    ({ name }) => name,
    (section) => tagGroup(section, look, level),
  );

/** @param {Section} section @param {Look} look @param {number} level @returns {unknown} */
function tagGroup(section, look, level) {
  const { name, tags, sections } = section;
  const isAlone = !name && tags.length === look.count;
  const isOpen = isAlone || !isClosed(closedGroups.value, name);
  return html`
    <section class="group" aria-label=${name || t("group.none")} data-group=${name} data-open=${isOpen}
      data-parent=${sections.length > 0} style=${look.flows ? groupStyle(tags.length) : nothing}>
      ${isAlone ? cardsHeading() : header(section, look, level, isOpen)}
      ${isOpen && tags.length ? blocks(tags, look) : nothing}
      ${
        isOpen && sections.length
          ? html`<div class=${look.flows ? "flowing" : ""}>${all(sections, look, level + 1)}</div>`
          : nothing
      }
    </section>`;
}

/** The heading of cards without sections, for those who navigate by headings. */
export const cardsHeading = () => html`<h2 class="in-words">${t("group.cards")}</h2>`;

/** @param {Section} section @param {Look} look @param {number} level @param {boolean} isOpen */
function header({ name, label, count }, look, level, isOpen) {
  const around = name.slice(0, name.length - label.length);
  return html`
    <h2 aria-level=${Math.min(level, 6)} title=${name || nothing}><button class="group-switch" aria-expanded=${isOpen}
        @click=${() => change({ closed: toggled(closedGroups.peek(), name) })}>
        ${ICONS.chevron}<span class="group-name ${name ? "" : "dimmed"}">${
          around ? html`<span class="dimmed">${around}</span>` : nothing
        }${label || t("group.none")}</span><span class="meta">${t("group.tags", { n: grouped(count) })}</span>
      </button>${isOpen ? look.tool(name) : nothing}</h2>`;
}

/** @param {readonly string[]} tags of a section @param {Look} look */
function blocks(tags, { card, flows, first }) {
  const row = flows ? cardsInRow(tags.length) : 1;
  const size = row * Math.ceil(CARDS_IN_BLOCK / row);
  return Array.from({ length: Math.ceil(tags.length / size) }, (_, place) => {
    const part = tags.slice(place * size, (place + 1) * size);
    const isFirst = first.left > 0;
    first.left -= part.length;
    return html`<card-block class="cards" style="--rows:${Math.ceil(part.length / row)}"
      .content=${{ tags: part, section: tags, isFirst, card }}></card-block>`;
  });
}
