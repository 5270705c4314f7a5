// The page of precision-recall curves: a card for each tag, with the curves of all runs.

import { html } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { stepper } from "../../controls/step_keys.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { change, opened } from "../../data/view/view.js";
import { chooseThreshold, chosenThreshold, curveRanks, curveStep, DEFAULT_THRESHOLD } from "./settings.js";
import { t } from "./words.js";
import "./curve_card.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

const tags = new PluginTags("pr_curves");

export const follow = () => tags.follow();

const settings = () => html`${rankChoice(curveRanks)}${pageSlider(curveStep)}${thresholdSlider()}`;

export const toolbar = () => pluginToolbar(tags, html`${settings()}${sizeChoice()}`);

const thresholdSlider = () => html`
  <label class="pr-threshold" title=${t("pr.threshold_hint")}>${t("pr.threshold")}
    <input type="range" min="0" max="1" step="0.01" .value=${String(chosenThreshold.value)}
      @input=${(/** @type {Event} */ { target }) =>
        chooseThreshold(Number(/** @type {HTMLInputElement} */ (target).value))}
      @dblclick=${() => chooseThreshold(DEFAULT_THRESHOLD)}>
    <output>${chosenThreshold.value.toFixed(2)}</output>
  </label>`;

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) =>
  html`<curve-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></curve-card>`;

export const content = () => pluginContent(tags, t("empty.no_curves"), card, false);

tagKinds.set("pr_curves", { prefix: "pr", tags, card, settings });

function toggleEnlarged() {
  const card = document.querySelector("curve-card:hover") ?? document.querySelector("curve-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? "") : "";
  change({ open: opened.peek() === tag ? null : tag });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": stepper("", "curve-card", curveStep, -1),
  "]": stepper("", "curve-card", curveStep, 1),
  f: toggleEnlarged,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("pr.keys_step")],
  [["←", "→"], () => t("pr.keys_threshold")],
  [["f"], () => t("pr.keys_enlarge")],
];
