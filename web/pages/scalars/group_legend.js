// The legend of groups below the toolbar.

import { html, nothing } from "lit-html";
import { swatch } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { drawnGroups } from "../../data/group_order.js";
import { hoveredRun } from "../../data/pointer.js";
import { groupKeys, runGroups } from "../../data/run_groups.js";
import { DASHES } from "../../data/run_styles.js";
import { drawnRuns } from "../../data/runs.js";
import { bands } from "../../data/scalar_view.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../data/group_order.js").Group} Group */

/** Groups in the legend; further ones are counted. */
const MOST = 24;
/** Runs in the title of a group. */
const MOST_NAMED = 20;

export function groupLegend() {
  const content = bands.value && legend();
  return content ? html`<div class="group-legend" data-by=${groupKeys.value.join(" ")}>${content}</div>` : nothing;
}

function legend() {
  const groups = drawnGroups(runGroups.value ?? new Map(), drawnRuns.value);
  if (!groups.length) return null;
  const areSingle = groups.length > 1 && groups.every(([, { runs }]) => runs.size === 1);
  return html`<span class="meta">${t("legend.groups", { n: grouped(groups.length) })}</span>
    <ul>${groups.slice(0, MOST).map(groupKey)}</ul>
    ${groups.length > MOST ? html`<span class="meta">${t("read.more", { n: grouped(groups.length - MOST) })}</span>` : nothing}
    ${areSingle ? html`<span class="meta" data-note="single">${t("legend.single")}</span>` : nothing}`;
}

/** @param {[string, Group]} group */
const groupKey = ([name, { style, runs }]) => html`
  <li data-group-key=${name} title=${titleOf([...runs])} @mouseenter=${() => (hoveredRun.value = name)}
    @mouseleave=${() => (hoveredRun.value = null)}>${swatch(style, DASHES[style.dash])}<span
    class="group-name">${name || t("read.all_runs")}</span><span class="meta">${t("legend.runs", { n: grouped(runs.size) })}</span></li>`;

/** @param {string[]} runs */
const titleOf = (runs) =>
  [
    ...runs.slice(0, MOST_NAMED).map(nameOf),
    ...(runs.length > MOST_NAMED ? [`+${runs.length - MOST_NAMED}`] : []),
  ].join("\n");
