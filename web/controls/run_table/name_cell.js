// What the first column of a table of runs shows: line style, name, and marks.

import { html, nothing } from "lit-html";
import { DASHES } from "../../data/colours/run_styles.js";
import { baseline } from "../../data/runs/baseline.js";
import { change, view, withValues } from "../../data/view/view.js";
import { ICONS, swatch } from "../icons.js";
import { nameParts, titleOf } from "../run_name.js";
import { t } from "./words.js";

/** @param {import("../../data/colours/run_styles.js").LineStyle} [style] */
export const runSwatch = (style = { colour: 0, dash: 0 }) => swatch(style, DASHES[style.dash]);

/** A link to the page of a run. @param {string} run @param {string} url of the table of the overview page
 * @param {number} most characters of the name for which there is room */
export const runLink = (run, url, most) => html`<a class="run-name" title=${titleOf(run)}
  href="#${url}&over.run=${encodeURIComponent(run)}"
  @click=${(/** @type {MouseEvent} */ event) => openRun(event, run)}>${nameParts(run, most)}</a>`;

/** @param {MouseEvent} event @param {string} run */
function openRun(event, run) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  change({ page: "overview", own: withValues(view.peek().own, { "over.run": run }) });
}

/** @param {string} reason */
export const damageMark = (reason) =>
  html`<span class="damaged" role="img" aria-label=${reason} title=${reason}>${ICONS.warning}</span>`;

/** Nothing unless the run is the baseline. @param {string} run */
export const baselineMark = (run) =>
  baseline.value === run
    ? html`<span class="baseline-mark" role="img" title=${t("rail.baseline")}
        aria-label=${t("rail.baseline")}>${ICONS.baseline}</span>`
    : nothing;
