// The text page: a card for each tag.

import { html } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { stepper } from "../../controls/step_keys.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { change, opened } from "../../data/view/view.js";
import { isRaw, showRaw, textRanks, textStep } from "./text_settings.js";
import { t } from "./words.js";
import "./text_card.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

const tags = new PluginTags("text");

export const follow = () => tags.follow();

const settings = () => html`
  ${rankChoice(textRanks)}
  ${pageSlider(textStep)}
  ${choice(
    "as",
    t("text.shown_as"),
    [
      ["markdown", t("text.markdown"), t("text.markdown_hint")],
      ["raw", t("text.raw"), t("text.raw_hint")],
    ],
    isRaw.value ? "raw" : "markdown",
    (value) => showRaw(value === "raw"),
  )}`;

export const toolbar = () => pluginToolbar(tags, html`${settings()}${sizeChoice()}`);

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) =>
  html`<text-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></text-card>`;

export const content = () => pluginContent(tags, t("empty.no_text"), card, false);

tagKinds.set("text", { prefix: "text", tags, card, settings });

function toggleEnlarged() {
  const card = document.querySelector("text-card:hover") ?? document.querySelector("text-card:focus-within");
  const tag = card instanceof HTMLElement ? (card.dataset.tag ?? "") : "";
  change({ open: opened.peek() === tag ? null : tag });
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": stepper("", "text-card", textStep, -1),
  "]": stepper("", "text-card", textStep, 1),
  m: () => showRaw(!isRaw.peek()),
  f: toggleEnlarged,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("text.keys_step")],
  [["m"], () => t("text.keys_raw")],
  [["f"], () => t("text.keys_enlarge")],
];
