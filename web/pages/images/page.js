// The images page: a card for each tag, or the viewer of one tag.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { cardsHeading } from "../../controls/tag_groups.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { opened } from "../../data/view/view.js";
import { adjustment } from "./settings.js";
import { settings } from "./toolbar.js";
import { t } from "./words.js";
import "./image_card.js";
import "./image_viewer.js";

export { ACTIONS, KEYS } from "./keys.js";

const tags = new PluginTags("image");

export const follow = () => tags.follow();
export const toolbar = () => pluginToolbar(tags, html`${settings()}${sizeChoice()}`);

export function content() {
  const tag = opened.value;
  const rows = tag === null ? undefined : tags.runsByTag.value.get(tag);
  return html`<div class="images">${
    rows && tag !== null ? viewer(tag, rows) : pluginContent(tags, t("empty.no_images"), card)
  }</div>`;
}

const filter = () => `--adjust:${adjustment.value}`;

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) =>
  html`<image-card class="stepped-card" style=${filter()} .tag=${tag} .rows=${rows} data-tag=${tag}></image-card>`;

tagKinds.set("images", { prefix: "image", tags, card, settings });

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const viewer = (tag, rows) =>
  repeat(
    [tag],
    () => tag,
    () =>
      html`${cardsHeading()}<image-viewer style=${filter()} .tag=${tag} .rows=${rows} data-tag=${tag}></image-viewer>`,
  );
