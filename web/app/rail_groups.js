// The groups of the run list while runs are grouped: one row each, in the colour of its line in charts.

import { computed } from "@preact/signals-core";
import { html } from "lit-html";
import { ICONS, swatch } from "../controls/icons.js";
import { ROW } from "../controls/run_row.js";
import { DASHES } from "../data/colours/run_styles.js";
import { drawnGroups } from "../data/groups/group_order.js";
import { groupKeys, openedGroups, runGroups, toggleGroup } from "../data/groups/run_groups.js";
import { runs } from "../data/runs/catalogue.js";
import { isShown, switched } from "../data/runs/selection.js";
import { hoveredRun } from "../data/view/pointer.js";
import { change, page, selection } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";

/** @typedef {object} RailGroup
 * @property {string} name
 * @property {string[]} runs that are listed
 * @property {import("../data/colours/run_styles.js").LineStyle | null} style null = runs without a group
 * @property {boolean} isOpen
 */

/** The name of the group of runs without one, in the address. */
const UNGROUPED = "-";
/** On pages that draw no groups, single runs are of interest. */
const isGrouped = computed(() => page.value === "scalars" && !groupKeys.value.includes("all"));

/** @param {readonly string[]} listed @returns {RailGroup[] | null} null while runs are not grouped */
export function railGroups(listed) {
  if (!isGrouped.value || !runGroups.value?.size) return null;
  const names = new Set();
  /** @type {RailGroup[]} */
  const groups = drawnGroups(runGroups.value, listed).map(([name, group]) => {
    for (const run of group.runs) names.add(run);
    return {
      name,
      runs: listed.filter((run) => group.runs.has(run)),
      style: group.style,
      isOpen: openedGroups.value.has(name),
    };
  });
  const others = listed.filter((run) => !names.has(run));
  if (others.length)
    groups.push({ name: UNGROUPED, runs: others, style: null, isOpen: openedGroups.value.has(UNGROUPED) });
  return groups;
}

/** @param {RailGroup} group @param {number} place @param {number} count */
export function groupRow({ name, runs: members, style, isOpen }, place, count) {
  const shown = members.filter((run) => isShown(selection.value, run)).length;
  const title = name === UNGROUPED ? t("rail.ungrouped") : name;
  return html`
    <li class="run rail-group ${shown ? "" : "off"}" style="top:${place * ROW}px" data-rail-group=${name}
      aria-setsize=${count} aria-posinset=${place + 1} title=${title}
      @mouseenter=${() => (hoveredRun.value = style && shown ? name : null)}>
      <button class="quiet group-open" aria-expanded=${isOpen} aria-label=${t("rail.group_runs", { name: title })}
        @click=${() => toggleGroup(name)}>${ICONS.chevron}</button>
      <button class="run-toggle" role="switch" aria-checked=${shown > 0} aria-label=${t("rail.draw", { run: title })}
        @click=${() => toggleShown(members, shown < members.length)}>
        ${shown ? ICONS.eye : ICONS.hidden}${style ? swatch(style, DASHES[style.dash]) : html`<span class="swatch"></span>`}
        <span class="run-name"><span class="leaf">${title}</span></span>
        <span class="meta">${shown < members.length ? `${grouped(shown)}/` : ""}${grouped(members.length)}</span>
      </button>
    </li>`;
}

/** @param {string[]} members @param {boolean} isOn */
const toggleShown = (members, isOn) =>
  change({ selection: switched(selection.peek(), members, isOn, runs.peek().length) });
