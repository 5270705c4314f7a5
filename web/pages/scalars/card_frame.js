// The frame of a card around its chart: title, status, actions.

import { html, nothing } from "lit-html";
import { failedCard } from "../../controls/failure.js";
import { ICONS } from "../../controls/icons.js";
import { pointCounts } from "../../controls/lines/line_plot.js";
import { tagParts } from "../../controls/tag_name.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { rangeOf, yRanges } from "../../data/series/ranges.js";
import { bands, pins, togglePin } from "../../data/series/scalar_view.js";
import { retryFeeds } from "../../data/series/series_requests.js";
import { xOf } from "../../data/series/x_axis.js";
import { tagLabels } from "../../data/tags/names.js";
import { change, opened } from "../../data/view/view.js";
import { menuOf, openMenu } from "./card_menu.js";
import { plotSettings } from "./card_model.js";
import { cardSettings } from "./card_settings.js";
import { cardStatus, notesOf } from "./card_status.js";
import { ICONS as CARD_ICONS } from "./icons.js";
import { singleValues } from "./single_values.js";
import { spikesChip } from "./spikes_chip.js";
import { t } from "./words.js";
import "./range_strip.js";
import "./value_table.js";

/** @typedef {import("./card_parts.js").CardParts} CardParts */
/** @typedef {import("../../controls/lines/line_plot.js").Part} Part */
/** @typedef {import("./scalar_card.js").ScalarCard} ScalarCard */
/** @typedef {import("../../charts/plot.js").Plot} Plot */

/** @param {ScalarCard} card @param {CardParts} parts @param {Plot | null} plot
 * @param {import("../../charts/ticks.js").Axis} axis */
export function cardFrame(card, parts, plot, axis) {
  const all = parts.all.value;
  const series = all.flatMap((part) => part.series);
  const counts = pointCounts(series, plot, plotSettings(card.tag, axis));
  const isOpen = opened.value === card.tag;
  return html`
    <header draggable=${isOpen ? "false" : "true"} title=${isOpen ? nothing : t("card.move")}>
      ${title(all, isOpen)}
      ${cardStatus(card.tag, notesOf(card.tag, all, counts, plot, axis))}
      ${spikesChip(card.tag, counts.spikes)}
      ${actions(card, isOpen, rangeOf(card.tag, axis) !== null || yRanges.value.has(card.tag))}
    </header>
    <div class="plot" role="img" aria-label=${t("card.chart", { tag: card.tag, n: series.length })}></div>
    ${isOpen || all.length > 1 ? nothing : singleValues(card.tag, plot)}
    ${axis === "value" ? html`<span class="x-name" title=${xOf(card.tag).x}>${xOf(card.tag).x}</span>` : nothing}
    ${state(all, rangeOf(card.tag, axis) !== null)}
    ${isOpen ? html`<range-strip .card=${card} .axis=${axis}></range-strip>${cardSettings(card.tag, plot)}<value-table .plot=${plot}></value-table>` : nothing}`;
}

/** @param {Part[]} all @param {boolean} isWhole */
function title([own, ...others], isWhole) {
  const labels = tagLabels([own, ...others].map(({ tag }) => tag)).slice(1);
  const names = [own.tag, ...others.map(({ tag, side }) => `+ ${tag} (${t(`card.${side}_axis`)})`)].join("\n");
  return html`<h3 title=${names}>${tagParts(own.tag, isWhole)}${labels.map((label) => html`<span class="with"> + ${label}</span>`)}</h3>`;
}

/** @param {ScalarCard} card @param {boolean} isOpen @param {boolean} isZoomed */
function actions(card, isOpen, isZoomed) {
  const { tag } = card;
  const isPinned = pins.value.includes(tag);
  return html`<div class="actions">
    ${button("pin", t(isPinned ? "card.unpin" : "card.pin"), CARD_ICONS.pin, () => togglePin(tag), isPinned)}
    <button class="quiet" data-key="menu" aria-haspopup="dialog" aria-expanded=${menuOf.value === card}
      title=${t("card.menu")} aria-label=${t("card.menu")}
      @click=${(/** @type {MouseEvent} */ event) => openMenu(card, event)}>${CARD_ICONS.more}</button>
    ${button(
      "enlarge",
      t(isOpen ? "card.shrink" : "card.enlarge"),
      isOpen ? ICONS.shrink : ICONS.enlarge,
      () => change({ open: isOpen ? null : tag }),
      isOpen,
    )}
    ${
      isZoomed
        ? html`<button class="quiet zoom-chip" data-key="reset"
            @click=${() => card.zoom(null)}>${ICONS.reset}<span>${t("card.reset")}</span></button>`
        : nothing
    }
  </div>`;
}

/** @param {string} key @param {string} label @param {unknown} sign @param {() => void} act @param {boolean} [pressed]
 */
const button = (key, label, sign, act, pressed = false) =>
  html`<button class="quiet" data-key=${key} title=${label} aria-label=${label} aria-pressed=${pressed}
    @click=${act}>${sign}</button>`;

/** The reason why there is no line; empty if there are lines.
 * @param {Part[]} all @param {boolean} isZoomed */
function state(all, isZoomed) {
  const failed = all.find(({ feed }) => feed.error.value);
  if (failed) return failedCard(failed.feed.error.value, () => retryFeeds(all.map(({ feed }) => feed)));
  if (all.some(({ series }) => series.some(({ step }) => step.length))) return nothing;
  const { feed } = all[0];
  if (!drawnRuns.value.every((run) => feed.fetched.has(run)))
    return html`<div class="state bone" data-state="waiting"></div>`;
  if (bands.value) return html`<div class="state" data-state="no_group">${t("card.no_group")}</div>`;
  const { x } = xOf(all[0].tag);
  return html`<div class="state" data-state="not_here">${
    isZoomed ? t("card.no_points_here") : x ? t("card.no_x", { x }) : t("card.not_here")
  }</div>`;
}
