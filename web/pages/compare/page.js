// The Compare page: the visible runs side by side, their differences, and the same series of each.

import { html, nothing } from "lit-html";
import { empty, noRuns } from "../../controls/empty_state.js";
import { comparedRuns } from "../../data/runs.js";
import { stopAll } from "../../data/stop_all.js";
import { grouped } from "../../i18n/numbers.js";
import { compareCache, leftOut, sectionTags } from "./compared.js";
import { compareLineage, differences } from "./differences.js";
import { compareGraphs } from "./graphs.js";
import { compareLandscapes } from "./landscapes.js";
import { sections } from "./sections.js";
import { t } from "./words.js";

export { toolbar } from "./toolbar.js";

export const content = () =>
  noRuns() ?? (comparedRuns.value.length ? compared() : empty("none_drawn", t("compare.none"), t("compare.none_more")));

const compared = () => html`
  <div class="compare">
    ${
      leftOut.value
        ? html`<p class="page-note" data-note="left_out">${t("compare.left_out", {
            shown: grouped(comparedRuns.value.length),
            total: grouped(comparedRuns.value.length + leftOut.value),
          })}</p>`
        : nothing
    }
    ${differences()}
    ${sections()}
  </div>`;

/** Fetches what the page shows until the returned function is called. */
export const follow = () =>
  stopAll([
    compareCache.follow(() => ({
      runs: comparedRuns.value,
      query: { metric: [], sparkline: false, environment: true },
    })),
    ...Object.values(sectionTags).map((tags) => tags.follow()),
    ...[compareLineage, compareGraphs, compareLandscapes].map((listings) => listings.follow()),
  ]);
