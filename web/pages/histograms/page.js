// The histograms page: a card for each tag, with a plot for each run.

import { html } from "lit-html";
import { tagKinds } from "../../controls/panel_kinds.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { t } from "./words.js";
import "./histogram_card.js";
import { isTogether } from "./settings.js";
import { modes, settings } from "./toolbar.js";

export { ACTIONS, KEYS } from "./keys.js";

const tags = new PluginTags("histogram");

export const toolbar = () => pluginToolbar(tags, settings(), modes());

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) => html`<histogram-card .tag=${tag} .rows=${rows} data-tag=${tag}></histogram-card>`;

export const content = () => pluginContent(tags, t("empty.no_histograms"), card, isTogether.value);

tagKinds.set("histograms", { prefix: "hist", tags, card, settings: () => html`${modes()}${settings()}` });

export const follow = () => tags.follow();
