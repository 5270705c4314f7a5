// The frame of a card around its chart: title, actions, notes on its points.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { beyondLimits, pointCounts } from "../../controls/lines/line_plot.js";
import { nameOf } from "../../controls/run_name.js";
import { tagParts } from "../../controls/tag_name.js";
import { isOfMachine } from "../../data/machine_tags.js";
import { tagLabels } from "../../data/names.js";
import { rangeOf } from "../../data/ranges.js";
import { drawnRuns } from "../../data/runs.js";
import { bands, pins, togglePin } from "../../data/scalar_view.js";
import { retryFeeds } from "../../data/series_requests.js";
import { change, opened, axis as pageAxis } from "../../data/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { attemptNote } from "./attempt_note.js";
import { menuOf, openMenu } from "./card_menu.js";
import { plotSettings } from "./card_model.js";
import { cardSettings } from "./card_settings.js";
import { ICONS as CARD_ICONS } from "./icons.js";
import { t } from "./words.js";
import { writerNote } from "./writer_note.js";
import "./range_strip.js";
import "./value_table.js";

/** @typedef {import("./card_parts.js").CardParts} CardParts */
/** @typedef {import("../../controls/lines/line_plot.js").Part} Part */
/** @typedef {import("./scalar_card.js").ScalarCard} ScalarCard */
/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../data/series.js").Series} Series */

/** Names in a note; further ones are counted. */
const MOST_NAMED = 3;

/** @param {ScalarCard} card @param {CardParts} parts @param {Plot | null} plot
 * @param {import("../../data/address.js").Axis} axis */
export function cardFrame(card, parts, plot, axis) {
  const all = parts.all.value;
  const series = all.flatMap((part) => part.series);
  const counts = pointCounts(series, plot, plotSettings(card.tag, axis));
  const isOpen = opened.value === card.tag;
  return html`
    <header draggable=${isOpen ? "false" : "true"} title=${isOpen ? nothing : t("card.move")}>
      ${title(all)}
      ${writerNote(series)}
      ${attemptNote(series)}
      ${downsampled(counts)}
      ${actions(card, isOpen, rangeOf(card.tag, axis) !== null)}
    </header>
    <div class="plot" role="img" aria-label=${t("card.chart", { tag: card.tag, n: series.length })}></div>
    <div class="notes">${notes(counts, plot)}${bandNotes(all)}${
      axis !== pageAxis.value && !isOfMachine(card.tag)
        ? html`<span data-note="one_step">${t("card.one_step")}</span>`
        : nothing
    }</div>
    ${state(all, rangeOf(card.tag, axis) !== null)}
    ${isOpen ? html`<range-strip .card=${card} .axis=${axis}></range-strip>${cardSettings(card.tag, plot)}<value-table .plot=${plot}></value-table>` : nothing}`;
}

/** @param {Part[]} all */
function title([own, ...others]) {
  const labels = tagLabels([own, ...others].map(({ tag }) => tag)).slice(1);
  const names = [own.tag, ...others.map(({ tag, side }) => `+ ${tag} (${t(`card.${side}_axis`)})`)].join("\n");
  return html`<h3 title=${names}>${tagParts(own.tag)}${labels.map((label) => html`<span class="with"> + ${label}</span>`)}</h3>`;
}

/** @param {ScalarCard} card @param {boolean} isOpen @param {boolean} isZoomed */
function actions(card, isOpen, isZoomed) {
  const { tag } = card;
  const isPinned = pins.value.includes(tag);
  return html`<div class="actions">
    ${isZoomed ? button("reset", t("card.reset"), ICONS.reset, () => card.zoom(null)) : nothing}
    ${button("pin", t(isPinned ? "card.unpin" : "card.pin"), CARD_ICONS.pin, () => togglePin(tag), isPinned)}
    <button class="quiet" data-key="menu" aria-haspopup="dialog" aria-expanded=${menuOf.value === card}
      title=${t("card.menu")} aria-label=${t("card.menu")}
      @click=${(/** @type {MouseEvent} */ event) => openMenu(card, event)}>${CARD_ICONS.more}</button>
    ${button(
      "enlarge",
      t(isOpen ? "card.shrink" : "card.enlarge"),
      isOpen ? ICONS.shrink : ICONS.enlarge,
      () => change({ open: isOpen ? "" : tag }),
      isOpen,
    )}
  </div>`;
}

/** @param {string} key @param {string} label @param {unknown} sign @param {() => void} act @param {boolean} [pressed]
 */
const button = (key, label, sign, act, pressed = false) =>
  html`<button class="quiet" data-key=${key} title=${label} aria-label=${label} aria-pressed=${pressed}
    @click=${act}>${sign}</button>`;

/** @typedef {ReturnType<typeof pointCounts>} PointCounts */

/** @param {PointCounts} counts */
function downsampled({ drawn, total }) {
  const counts = { drawn: grouped(drawn), total: grouped(total) };
  return drawn < total
    ? html`<span class="meta" data-note="downsampled"
      title=${t("card.downsampled_hint", counts)}>${t("card.downsampled", counts)}</span>`
    : nothing;
}

/** @param {PointCounts} counts @param {Plot | null} plot */
function notes({ duplicates, unplaced, dropped, left, beyond }, plot) {
  const limits = plot ? beyondLimits(plot).filter(({ lines }) => lines.length) : [];
  return html`
    ${limits.map(
      ({ above, value, lines }) =>
        html`<span class="limit-note" data-note="limit">${t(above ? "card.above" : "card.below", {
          value: shortNumber(value, 5),
          runs: namesOf(lines),
        })}</span>`,
    )}
    ${
      beyond
        ? html`<span data-note="outliers"
          title=${t("card.outliers_hint")}>${t("card.outliers", { n: grouped(beyond) })}</span>`
        : nothing
    }
    ${
      duplicates
        ? html`<span data-note="duplicates"
          title=${t("card.duplicates_hint")}>${t("card.duplicates", { n: grouped(duplicates) })}</span>`
        : nothing
    }
    ${
      unplaced
        ? html`<span data-note="unplaced"
          title=${t("card.unplaced_hint")}>${t("card.unplaced", { n: grouped(unplaced) })}</span>`
        : nothing
    }
    ${dropped ? html`<span data-note="dropped">${t("card.dropped", { n: grouped(dropped) })}</span>` : nothing}
    ${left ? html`<span data-note="left">${t("card.left", { n: grouped(left) })}</span>` : nothing}`;
}

/** Notes on what bands exclude.
 * @param {Part[]} all */
function bandNotes(all) {
  if (!all[0].series.some(({ band }) => band)) return nothing;
  const { ungrouped } = all[0].feed;
  const drawn = all.flatMap(({ series }) => series);
  const hasNonFinite = drawn.some(({ band }) => band?.hasNonFinite);
  return html`
    ${fewerRuns(drawn)}${somePlaces(drawn)}
    ${
      ungrouped.length
        ? html`<span data-note="ungrouped" title=${ungrouped.slice(0, 20).map(nameOf).join("\n")}>${t(
            "card.ungrouped",
            { n: grouped(ungrouped.length) },
          )}</span>`
        : nothing
    }
    ${hasNonFinite ? html`<span data-note="non_finite">${t("card.non_finite")}</span>` : nothing}`;
}

/** Bands that have fewer runs than their group at some x: runs may be shorter, start later, or have gaps.
 * @param {Series[]} drawn */
function fewerRuns(drawn) {
  const fewest = drawn.flatMap(({ run, band }) => {
    const n = band ? band.count.reduce((least, count) => Math.min(least, count), band.most) : 0;
    return band && n < band.most ? [{ run, n, total: band.most }] : [];
  });
  if (!fewest.length) return nothing;
  const worst = fewest.reduce((a, b) => (b.n / b.total < a.n / a.total ? b : a));
  const each = fewest
    .slice(0, 20)
    .map(({ run, n, total }) => `${run ? nameOf(run) : t("read.all_runs")}: ${t("read.of_runs", { n, total })}`);
  return html`<span data-note="fewer" title=${[t("card.fewer_hint"), ...each].join("\n")}>${t("card.fewer", {
    n: grouped(worst.n),
    total: grouped(worst.total),
  })}</span>`;
}

/** Bands that were not computed at every x.
 * @param {Series[]} drawn */
function somePlaces(drawn) {
  const sparse = drawn.find(({ band, total }) => band && band.aligned < total);
  if (!sparse?.band) return nothing;
  return html`<span data-note="places" title=${t("card.places_hint")}>${t("card.places", {
    n: grouped(sparse.band.aligned),
    total: grouped(sparse.total),
  })}</span>`;
}

/** @param {import("../../charts/plot.js").Line[]} lines */
function namesOf(lines) {
  const names = [...new Set(lines.map(({ run }) => nameOf(run)))];
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` +${more}` : "");
}

/** The reason why there is no line; empty if there are lines.
 * @param {Part[]} all @param {boolean} isZoomed */
function state(all, isZoomed) {
  const failed = all.find(({ feed }) => feed.error.value);
  if (failed)
    return html`<div class="state error"
      role="alert"><span>${t("card.failed", { reason: failed.feed.error.value?.message ?? "" })}</span>
    <button class="plain" @click=${() => retryFeeds(all.map(({ feed }) => feed))}>${t("card.retry")}</button></div>`;
  if (all.some(({ series }) => series.some(({ step }) => step.length))) return nothing;
  if (!drawnRuns.value.length) return html`<div class="state" data-state="none_drawn">${t("card.none_drawn")}</div>`;
  const { feed } = all[0];
  if (!drawnRuns.value.every((run) => feed.fetched.has(run)))
    return html`<div class="state bone" data-state="waiting"></div>`;
  if (bands.value) return html`<div class="state" data-state="no_group">${t("card.no_group")}</div>`;
  return html`<div class="state"
    data-state="not_here">${t(isZoomed ? "card.no_points_here" : "card.not_here")}</div>`;
}
