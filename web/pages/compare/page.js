// The compare page: chosen runs side by side, what sets them apart, and the same series of each.

import { html, nothing } from "lit-html";
import { empty, withoutRuns } from "../../controls/empty_state.js";
import { followWidth } from "../../controls/grid_columns.js";
import { comparedRuns } from "../../data/runs.js";
import { compareFacts, leftOut, sectionTags } from "./compared.js";
import { compareLineage, differences } from "./differences.js";
import { compareGraphs } from "./graphs.js";
import { compareLandscapes } from "./landscapes.js";
import { sections } from "./sections.js";
import { t } from "./words.js";

export { toolbar } from "./toolbar.js";

export const content = () =>
  withoutRuns() ??
  (comparedRuns.value.length ? compared() : empty("none_drawn", t("compare.none"), t("compare.none_more")));

const compared = () => html`
  <div class="compare" data-runs=${JSON.stringify(comparedRuns.value)}>
    ${leftOut.value ? html`<p class="page-note" data-note="left_out">${t("compare.left_out", { shown: comparedRuns.value.length, n: leftOut.value })}</p>` : nothing}
    ${differences()}
    ${sections()}
  </div>`;

/** Begins to ask for what the page shows; returns what ends it. */
export function follow() {
  const ends = [
    compareFacts.follow(() => ({
      runs: comparedRuns.value,
      query: { metric: [], sparkline: false, environment: true },
    })),
    ...Object.values(sectionTags).map((tags) => tags.follow()),
    ...[compareLineage, compareGraphs, compareLandscapes].map((listings) => listings.follow()),
    followWidth(),
  ];
  return () => ends.forEach((end) => end());
}
