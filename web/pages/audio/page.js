// The audio page: a card for each tag, with a player for each run.

import { html } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { select } from "../../controls/choice.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { stepper } from "../../controls/step_keys.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { togglePlayer } from "./audio_card.js";
import {
  audioRanks,
  audioStep,
  choosePicture,
  isInStep,
  isLooped,
  PICTURES,
  picture,
  toggleInStep,
  toggleLoop,
} from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

const tags = new PluginTags("audio");

export const follow = () => tags.follow();

const settings = () => html`${rankChoice(audioRanks)}${pageSlider(audioStep)}
  ${toggle("audio-loop", t("audio.loop"), t("audio.loop_hint"), isLooped.value, toggleLoop)}
  ${toggle("audio-in-step", t("audio.in_step"), t("audio.in_step_hint"), isInStep.value, toggleInStep)}
  ${select(
    "audio-picture",
    t("audio.picture_label"),
    PICTURES.map((each) => [each, t(`audio.picture_${each}`)]),
    picture.value,
    choosePicture,
  )}`;

/** @param {string} key @param {string} text @param {string} hint @param {boolean} isOn @param {() => void} act */
const toggle = (key, text, hint, isOn, act) =>
  html`<button class="toggle" data-key=${key} title=${hint} aria-pressed=${isOn} @click=${act}>${text}</button>`;

export const toolbar = () => pluginToolbar(tags, html`${settings()}${sizeChoice()}`);

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) =>
  html`<audio-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></audio-card>`;

export const content = () => pluginContent(tags, t("empty.no_audio"), card);

tagKinds.set("audio", { prefix: "audio", tags, card, settings });

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": stepper("", "audio-card", audioStep, -1),
  "]": stepper("", "audio-card", audioStep, 1),
  p: togglePlayer,
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("audio.keys_step")],
  [["p"], () => t("audio.keys_play")],
];
