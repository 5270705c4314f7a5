// The page of meshes and clouds of points: a card for each, with a view for each run.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { select } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { stepper } from "../../controls/step_keys.js";
import { pluginContent, pluginToolbar } from "../../controls/tag_page.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { resetViews, zoomViews } from "./mesh_pane.js";
import { areLinked, chooseMode, MODES, meshRanks, meshStep, mode, toggleLink } from "./settings.js";
import { drawingFailure } from "./views.js";
import { t } from "./words.js";
import "./mesh_card.js";

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */
/** @typedef {import("./settings.js").Mode} Mode */

/** The tag of the vertices names a mesh; tensorboardX writes the number. */
const tags = new PluginTags("mesh", (tag) => /^(.*)_(?:VERTEX|1)$/s.exec(tag)?.[1] ?? null);

export const follow = () => tags.follow();

const settings = () => html`${rankChoice(meshRanks)}${pageSlider(meshStep)}${cameras()}${modes()}`;

export const toolbar = () => pluginToolbar(tags, html`${settings()}${sizeChoice()}`);

const cameras = () => html`<button class="quiet" data-key="mesh-link" aria-pressed=${areLinked.value}
    title=${t("mesh.link")} aria-label=${t("mesh.link")} @click=${toggleLink}>${ICONS.link}</button>
  <button class="quiet" data-key="mesh-reset" title=${t("mesh.reset")} aria-label=${t("mesh.reset")}
    @click=${resetViews}>${ICONS.reset}</button>`;

const modes = () =>
  select(
    "mesh-mode",
    t("mesh.mode"),
    MODES.map((each) => [each, t(`mesh.${each}`)]),
    mode.value,
    (chosen) => chooseMode(/** @type {Mode} */ (chosen)),
  );

export const content = () => html`
  ${
    drawingFailure.value
      ? html`<p class="page-note" role="alert" data-note="not_drawn">${t(
          drawingFailure.value === "webgl" ? "mesh.no_webgl" : "mesh.no_script",
        )}</p>`
      : nothing
  }
  ${pluginContent(tags, t("empty.no_meshes"), card)}`;

/** @param {string} tag @param {import("../../data/tags/plugin_tags.js").SeriesRow[]} rows */
const card = (tag, rows) =>
  html`<mesh-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></mesh-card>`;

tagKinds.set("meshes", { prefix: "mesh", tags, card, settings });

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": stepper("", "mesh-card", meshStep, -1),
  "]": stepper("", "mesh-card", meshStep, 1),
  v: () => chooseMode(MODES[(MODES.indexOf(mode.peek()) + 1) % MODES.length]),
  l: toggleLink,
  f: resetViews,
  "+": () => zoomViews(1.25),
  "-": () => zoomViews(0.8),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("mesh.keys_step")],
  [["←", "→", "↑", "↓"], () => t("mesh.keys_turn")],
  [["+", "-"], () => t("mesh.keys_zoom")],
  [["v"], () => t("mesh.keys_mode")],
  [["l"], () => t("mesh.keys_link")],
  [["f"], () => t("mesh.keys_reset")],
];
