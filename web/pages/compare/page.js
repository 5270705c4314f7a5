// The Compare page: the visible runs side by side, their differences, and the same series of each.

import { html } from "lit-html";
import { empty, noRuns } from "../../controls/empty_state.js";
import { stopAll } from "../../data/client/stop_all.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { comparedRuns } from "../../data/runs/runs.js";
import { compareCache, sectionTags } from "./compared.js";
import { compareLineage, differences } from "./differences.js";
import { compareGraphs } from "./graphs.js";
import { compareLandscapes } from "./landscapes.js";
import { comparedMetrics, measuredRuns } from "./metric_table.js";
import { closePicker, isAsking, neededValues, picker } from "./picker.js";
import { sections } from "./sections.js";
import { t } from "./words.js";

export { toolbar } from "./toolbar.js";

export const content = () =>
  noRuns() ??
  (isAsking()
    ? picker()
    : comparedRuns.value.length
      ? compared()
      : empty("none_drawn", t("compare.none"), t("compare.none_more")));

const compared = () => html`
  <div class="compare">
    ${differences()}
    ${sections()}
  </div>`;

/** Fetches what the page shows until the returned function is called. */
export const follow = () =>
  stopAll([
    compareCache.follow(() => ({
      runs: measuredRuns.value,
      query: { metric: comparedMetrics.value, sparkline: false, environment: true },
    })),
    runColumns.follow(neededValues),
    closePicker,
    ...Object.values(sectionTags).map((tags) => tags.follow()),
    ...[compareLineage, compareGraphs, compareLandscapes].map((listings) => listings.follow()),
  ]);
