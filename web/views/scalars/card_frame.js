// A card around its chart: the tag's name, what can be done with it, what must be said about its points.

import { html, nothing } from "lit-html";
import { csvAddress } from "../../api/client.js";
import { grouped } from "../../lib/numbers.js";
import { cutGroup } from "../../lib/tags.js";
import { runs } from "../../state/catalogue.js";
import { drawnRuns, focusTag } from "../../state/runs.js";
import { expire } from "../../state/requests.js";
import { axis as pageAxis, change, opened, zooms } from "../../state/view.js";
import { t } from "../../state/words.js";
import { remarks } from "./card_model.js";
import { ICONS } from "../icons.js";

/** @typedef {import("../../state/feed.js").Feed} Feed */
/** @typedef {import("../../lib/series.js").Series} Series */

/** More runs than this do not fit into an address. */
const RUNS_IN_ADDRESS = 100;

/** @param {{tag: string}} card @param {Feed} feed @param {Series[]} series
 * @param {import("../../lib/ticks.js").Axis} axis */
export function cardFrame(card, feed, series, axis) {
  const [group, leaf] = cutGroup(card.tag);
  const oneStep = axis !== pageAxis.value;
  return html`
    <header>
      <h3 title=${card.tag}>${group ? html`<span class="path">${group}</span>` : nothing}<span class="leaf">${leaf}</span></h3>
      ${downsampled(series)}
      ${actions(card)}
    </header>
    <div class="plot" role="img" aria-label=${t("card.chart", { tag: card.tag, n: series.length })}></div>
    <div class="notes">${notes(series)}${oneStep ? html`<span data-note="one_step">${t("card.one_step")}</span>` : nothing}</div>
    ${state(feed, series)}`;
}

/** @param {{tag: string}} card */
function actions({ tag }) {
  const enlarged = opened.value === tag;
  const focused = focusTag.value === tag;
  const chosen = drawnRuns.value.length === runs.value.length || drawnRuns.value.length > RUNS_IN_ADDRESS ? [] : drawnRuns.value;
  return html`<div class="actions">
    ${zooms.value[tag] ? button("reset", t("card.reset"), ICONS.reset, () => change({ zooms: without(tag) })) : nothing}
    ${button("focus", t(focused ? "card.focused" : "card.focus"), ICONS.focus, () => change({ focus: tag }), focused)}
    <a class="quiet" data-key="csv" download href=${csvAddress(tag, chosen)} title=${t("card.csv")} aria-label=${t("card.csv")}>${ICONS.csv}</a>
    ${button("enlarge", t(enlarged ? "card.shrink" : "card.enlarge"), enlarged ? ICONS.shrink : ICONS.enlarge, () => change({ open: enlarged ? "" : tag }), enlarged)}
  </div>`;
}

/** @param {string} tag */
function without(tag) {
  const { [tag]: _, ...others } = zooms.peek();
  return others;
}

/** @param {string} key @param {string} label @param {unknown} sign @param {() => void} act @param {boolean} [pressed] */
const button = (key, label, sign, act, pressed = false) =>
  html`<button class="quiet" data-key=${key} title=${label} aria-label=${label} aria-pressed=${pressed} @click=${act}>${sign}</button>`;

/** @param {Series[]} series */
function downsampled(series) {
  const { drawn, total } = remarks(series);
  const counts = { drawn: grouped(drawn), total: grouped(total) };
  return drawn < total
    ? html`<span class="meta" data-note="downsampled" title=${t("card.downsampled_hint", counts)}>${t("card.downsampled", counts)}</span>`
    : nothing;
}

/** @param {Series[]} series */
function notes(series) {
  const { duplicates, dropped } = remarks(series);
  return html`
    ${duplicates ? html`<span data-note="duplicates" title=${t("card.duplicates_hint")}>${t("card.duplicates", { n: grouped(duplicates) })}</span>` : nothing}
    ${dropped ? html`<span data-note="dropped">${t("card.dropped", { n: grouped(dropped) })}</span>` : nothing}`;
}

/** Why there is no line to see, when there is none.
 * @param {Feed} feed @param {Series[]} series */
function state(feed, series) {
  const error = feed.error.value;
  if (error && feed.key) return html`<div class="state error" role="alert"><span>${t("card.failed", { reason: error.message })}</span>
    <button class="plain" @click=${() => expire(null, [feed])}>${t("card.retry")}</button></div>`;
  if (series.some(({ step }) => step.length)) return nothing;
  if (!drawnRuns.value.length) return html`<div class="state" data-state="none_drawn">${t("card.none_drawn")}</div>`;
  if (!drawnRuns.value.every((run) => feed.answered.has(run))) return html`<div class="state bone" data-state="waiting"></div>`;
  return html`<div class="state" data-state="not_here">${t(zooms.value[feed.tag] ? "card.no_points_here" : "card.not_here")}</div>`;
}
