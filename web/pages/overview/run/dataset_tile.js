// The tile of a run's dataset pipeline: its stages from the first source to the last one.

import { html, nothing } from "lit-html";
import { t } from "../words.js";
import { ListedPart } from "./listed_part.js";

/** @typedef {import("../../../data/kinds/dataset_stages.js").Stage} Stage */

const MOST = 6;

class DatasetTile extends ListedPart {
  get kind() {
    return /** @type {const} */ ("lineage/dataset");
  }

  /** @param {{dataset: Stage | null, problems: string[]}} reply */
  template({ dataset, problems }) {
    if (!dataset) return problems.length ? html`<p class="hint">${problems.join(" ")}</p>` : nothing;
    /** @type {string[]} */
    const names = [];
    for (let stage = /** @type {Stage | undefined} */ (dataset); stage; stage = stage.children[0])
      names.unshift(stage.op_type);
    const shown = names.length > MOST ? [names[0], "…", ...names.slice(1 - MOST)] : names;
    return html`<p class="tile-stages" data-stages=${names.length} title=${names.join(" → ")}>${shown.map(
      (name, at) =>
        html`${at ? html`<span class="dim"> → </span>` : nothing}<span>${name || t("dataset.unnamed")}</span>`,
    )}</p>`;
  }
}

customElements.define("dataset-tile", DatasetTile);
