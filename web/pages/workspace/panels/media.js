// Histograms, images and texts of a tag, for each visible run: the cards of their pages, which define the elements.

import { computed, effect } from "@preact/signals-core";
import { html, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { PluginTags } from "../../../data/tags/plugin_tags.js";
import { t } from "../words.js";
import { PanelElement } from "./panel_element.js";

/** @typedef {import("../../../data/tags/plugin_tags.js").SeriesRow} SeriesRow */

/** The tags of each kind of panel. */
export const mediaTags = {
  histograms: new PluginTags("histogram"),
  images: new PluginTags("image"),
  text: new PluginTags("text"),
};
/** @typedef {keyof typeof mediaTags} MediaKind */

/** @type {Record<MediaKind, (tag: string, rows: SeriesRow[]) => unknown>} */
const CARDS = {
  histograms: (tag, rows) => html`<histogram-card .tag=${tag} .rows=${rows} data-tag=${tag}></histogram-card>`,
  images: (tag, rows) => html`<image-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></image-card>`,
  text: (tag, rows) => html`<text-card class="stepped-card" .tag=${tag} .rows=${rows} data-tag=${tag}></text-card>`,
};

/** @param {MediaKind} kind */
function definePanel(kind) {
  const tags = mediaTags[kind];
  class MediaPanel extends PanelElement {
    begin() {
      const tag = computed(() => String(this.settings.value.tag ?? ""));
      return [
        tags.follow(),
        effect(() => {
          const series = tags.runsByTag.value.get(tag.value);
          render(
            !tag.value
              ? html`<div class="state">${t("ws.no_tag")}</div>`
              : series
                ? html`<div class="ws-media groups" data-size="m" tabindex="0">${repeat(
                    [tag.value],
                    (name) => name,
                    (name) => CARDS[kind](name, series),
                  )}</div>`
                : html`<div class="state">${tags.rows.value ? t("ws.no_points") : ""}</div>`,
            this,
          );
        }),
      ];
    }
  }
  customElements.define(`${kind}-panel`, MediaPanel);
}

for (const kind of /** @type {const} */ (["histograms", "images", "text"])) definePanel(kind);
