// The common layout of the pages for histograms, images, tensors and texts: a tag filter, and a card for each tag.

import { html, nothing } from "lit-html";
import { runsReply } from "../data/runs/catalogue.js";
import { tagRule } from "../data/runs/runs.js";
import { change, tagFilter } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { empty, loadingRuns, noMatch, noneDrawn, noPlugin, noRuns, skeleton } from "./empty_state.js";
import { filterField } from "./filter_field.js";
import { sectionMenu } from "./section_menu.js";
import { tagGroups } from "./tag_groups.js";

/** @typedef {import("../data/tags/plugin_tags.js").PluginTags} PluginTags */

/** The tag filter, and how many tags match it.
 * @param {number} kept @param {number} all */
export const tagField = (kept, all) => html`
  ${filterField({
    id: "tag-filter",
    label: t("bar.filter"),
    pattern: tagFilter.value,
    rule: tagRule.value,
    changed: (tags) => change({ tags }),
  })}
  <span class="meta tag-count">${all ? t("bar.tags", { shown: kept, n: all }) : ""}</span>`;

/** @param {PluginTags} tags @param {unknown} settings @param {unknown} [first] a setting that never moves */
export const pluginToolbar = (tags, settings, first = nothing) => html`
  ${tagField(
    tags.groups.value.reduce((sum, group) => sum + group.tags.length, 0),
    tags.runsByTag.value.size,
  )}
  ${sectionMenu(tags.sections.value)}
  ${first}
  <span class="space"></span>
  ${settings}`;

/** @param {PluginTags} tags @param {string} title shown if no run has such series
 * @param {(tag: string, rows: import("../data/tags/plugin_tags.js").SeriesRow[]) => unknown} card
 * @param {boolean} [flows] every card is one column wide, so that small groups are side by side */
export function pluginContent(tags, title, card, flows = true) {
  const none = noRuns() ?? withoutSeries(tags, title);
  if (none) return none;
  const left = tags.leftOut.value;
  return html`${left ? html`<p class="page-note" data-note="left_out">${t("page.left_out", { n: grouped(left) })}</p>` : nothing}
    ${tagGroups(
      tags.sections.value,
      tags.runsByTag.value.size,
      (tag) => card(tag, tags.runsByTag.value.get(tag) ?? []),
      {
        flows,
      },
    )}`;
}

/** @param {PluginTags} tags @param {string} title */
function withoutSeries(tags, title) {
  if (tags.error.value) return empty("failed", t("empty.failed"), tags.error.value.message);
  if (tags.rows.value === null) return skeleton();
  if (tags.groups.value.length) return null;
  if (tags.runsByTag.value.size) return noMatch();
  if (runsReply.value?.loading) return loadingRuns();
  const has = runsReply.value?.runs.some((row) => row.plugins[tags.plugin]);
  if (has) return noneDrawn();
  return noPlugin(title);
}
