// Tiles of a run's page for what no page draws: its tags by plugin, with the files that contain them.

import { html, nothing } from "lit-html";
import { formatPluginCounts } from "../../../controls/plugin_counts.js";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";

/** @typedef {{plugin: string, tag: string, files: string[]}} UndrawnTag */

/** Tags that a tile lists. */
const MOST = 20;

class UndrawnTiles extends ListedPart {
  get kind() {
    return /** @type {const} */ ("undrawn");
  }

  /** @param {{tags: UndrawnTag[]}} reply */
  template({ tags }) {
    const plugins = [...Map.groupBy(tags, ({ plugin }) => plugin)];
    return html`
      ${plugins.length ? html`<div class="tiles quiet-tiles">${plugins.map(tile)}</div>` : nothing}`;
  }
}

/** @param {[plugin: string, tags: UndrawnTag[]]} tags */
const tile = ([plugin, tags]) => html`
  <section class="tile quiet-tile" data-tile=${plugin} data-count=${tags.length}>
    <h3>${formatPluginCounts([[plugin, tags.length]])}</h3>
    <p class="meta">${t("run.not_drawn")}</p>
    <dl class="undrawn">${tags
      .slice(0, MOST)
      .map(
        ({ tag, files }) =>
          html`${tag ? html`<dt>${tag}</dt>` : nothing}${files.map((file) => html`<dd><code>${file}</code></dd>`)}`,
      )}</dl>
    ${tags.length > MOST ? html`<p class="meta">${t("run.more_tags", { n: grouped(tags.length - MOST) })}</p>` : nothing}
  </section>`;

customElements.define("undrawn-tiles", UndrawnTiles);
