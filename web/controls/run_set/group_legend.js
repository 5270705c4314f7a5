// The legend of groups: their colours, names and numbers of runs.

import { html, nothing } from "lit-html";
import { DASHES } from "../../data/colours/run_styles.js";
import { drawnGroups } from "../../data/groups/group_order.js";
import { groupKeys, runGroups } from "../../data/groups/run_groups.js";
import { hoveredRun } from "../../data/view/pointer.js";
import { grouped } from "../../i18n/numbers.js";
import { swatch } from "../icons.js";
import { nameOf } from "../run_name.js";
import { t } from "./words.js";

/** @typedef {import("../../data/groups/group_order.js").Group} Group */

/** Groups in the legend; further ones are counted. */
const MOST = 24;
/** Runs in the title of a group. */
const MAX_NAMED = 20;

/** Nothing while runs are not grouped. @param {readonly string[]} shown runs; others are not counted */
export function groupLegend(shown) {
  const groups = drawnGroups(runGroups.value ?? new Map(), shown);
  if (!groups.length) return nothing;
  const areSingle = groups.length > 1 && groups.every(([, { runs }]) => runs.size === 1);
  return html`<div class="group-legend" data-by=${groupKeys.value.join(" ")}>
    <span class="meta">${t("run_set.legend_groups", { n: grouped(groups.length) })}</span>
    <ul>${groups.slice(0, MOST).map(groupKey)}</ul>
    ${groups.length > MOST ? html`<span class="meta">${t("run_set.more", { n: grouped(groups.length - MOST) })}</span>` : nothing}
    ${areSingle ? html`<span class="meta" data-note="single">${t("run_set.legend_single")}</span>` : nothing}</div>`;
}

/** @param {[string, Group]} group */
const groupKey = ([name, { style, runs }]) => html`
  <li data-group-key=${name} title=${titleOf([...runs])} @mouseenter=${() => (hoveredRun.value = name)}
    @mouseleave=${() => (hoveredRun.value = null)}>${swatch(style, DASHES[style.dash])}<span
    class="group-name">${name || t("run_set.group_all_long")}</span><span class="meta">${t("run_set.legend_runs", { n: grouped(runs.size) })}</span></li>`;

/** @param {string[]} runs */
const titleOf = (runs) =>
  [...runs.slice(0, MAX_NAMED).map(nameOf), ...(runs.length > MAX_NAMED ? [`+${runs.length - MAX_NAMED}`] : [])].join(
    "\n",
  );
