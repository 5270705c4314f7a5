// The menu of a card: downloads, rules of alerts, tags that share its chart, thresholds. One popover serves all cards.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { fileName, pngOf, save, svgOf } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { openAt, popover } from "../../controls/popover.js";
import { exportUrl } from "../../data/client/client.js";
import { runs } from "../../data/runs/catalogue.js";
import { drawnRuns, focusTag } from "../../data/runs/runs.js";
import { attempt, bands, rank, smoothing } from "../../data/series/scalar_view.js";
import { change, opened } from "../../data/view/view.js";
import { alertRules, forgetRefusal } from "./alert_rules.js";
import { moveBy, neighbour } from "./card_drag.js";
import { cardSettings } from "./card_settings.js";
import { t } from "./words.js";

/** @typedef {import("./scalar_card.js").ScalarCard} ScalarCard */

/** More runs than this do not fit into a URL. */
const RUNS_IN_URL = 100;
const ID = "card-menu";

/** The card whose menu is open. @type {import("@preact/signals-core").Signal<ScalarCard | null>} */
export const menuOf = signal(null);

/** @param {ScalarCard} card @param {MouseEvent} event on its button */
export function openMenu(card, event) {
  menuOf.value = card;
  forgetRefusal();
  if (!openAt(ID, event)) menuOf.value = null;
}

const close = () => document.getElementById(ID)?.hidePopover();

export const cardMenu = () =>
  popover(
    { id: ID, label: t("card.menu"), toggled: (open) => void (open || (menuOf.value = null)) },
    menuOf.value ? menu(menuOf.value) : nothing,
  );

/** @param {ScalarCard} card */
function menu(card) {
  const { tag } = card;
  const isFocus = focusTag.value === tag;
  return html`
    <h2 class="menu-title" title=${tag}>${tag}</h2>
    <div class="menu-rows">
      ${row("focus", t(isFocus ? "card.focused" : "card.focus"), () => change({ focus: tag }), isFocus)}
      ${neighbour(card, -1) !== undefined ? row("earlier", t("card.earlier"), () => moveBy(card, -1)) : nothing}
      ${neighbour(card, 1) !== undefined ? row("later", t("card.later"), () => moveBy(card, 1)) : nothing}
    </div>
    ${downloads(card)}
    ${alertRules(tag, card.plot)}
    ${opened.value === tag ? nothing : cardSettings(tag, card.plot)}`;
}

/** @param {string} key @param {string} label @param {() => void} act @param {boolean} [pressed] */
const row = (key, label, act, pressed = false) =>
  html`<button data-key=${key} aria-pressed=${pressed} @click=${() => {
    act();
    close();
  }}>${label}</button>`;

/** @param {ScalarCard} card */
function downloads(card) {
  const tags = card.parts?.tags.value.map(({ tag }) => tag) ?? [card.tag];
  const drawn = drawnRuns.value;
  const isPart = drawn.length > 0 && drawn.length < runs.value.length && drawn.length <= RUNS_IN_URL;
  const chosen = isPart ? drawn : [];
  const hint = t(isPart ? "card.exact_hint" : "card.exact_all_hint");
  const url = (/** @type {"csv" | "json"} */ format) =>
    exportUrl(format, tags, chosen, { rank: rank.value, attempt: attempt.value });
  const link = (/** @type {"csv" | "json"} */ format) =>
    html`<a class="plain" data-key=${format} href=${url(format)} download=${fileName(card.tag, format)} title=${hint}
      @click=${close}>${format.toUpperCase()}</a>`;
  return html`<div class="menu-downloads" role="group" aria-label=${t("card.download")}>
    ${ICONS.csv}<span>${t("card.download")}</span>${link("csv")}${link("json")}
    <button class="plain" data-key="svg" title=${t("card.drawing_hint")}
      @click=${() => saveDrawing(card, "svg")}>SVG</button>
    <button class="plain" data-key="png" title=${t("card.drawing_hint")}
      @click=${() => saveDrawing(card, "png")}>PNG</button>
  </div>`;
}

/** @param {ScalarCard} card @param {"svg" | "png"} format */
async function saveDrawing(card, format) {
  const { plot, tag } = card;
  close();
  if (!plot) return;
  const title =
    card.parts?.tags
      .peek()
      .map((part) => part.tag)
      .join(" + ") ?? tag;
  const svg = svgOf(title, noteText(plot), plot);
  save(format === "png" ? await pngOf(svg) : new Blob([svg], { type: "image/svg+xml" }), fileName(tag, format));
}

/** The note in a downloaded chart: how its lines are smoothed, and its bands. @param {import("../../charts/plot.js").Plot} plot */
function noteText({ lines }) {
  const grouping = bands.peek();
  const smoothed = grouping ? [smoothing.peek()] : lines.flatMap(({ raw, series }) => (raw && series.smooth) || []);
  return [...new Set(smoothed), grouping && `${t(`bar.centre_${grouping.centre}`)}, ${t(`bar.band_${grouping.band}`)}`]
    .filter(Boolean)
    .join(" · ");
}
