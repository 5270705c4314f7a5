// The column menu: which metrics, which columns, in which order.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { choice, columnMenu, furtherMatches, MAX_ROWS } from "../../controls/run_table/column_menu.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { metrics } from "../../data/runs/run_table.js";
import { allColumns, metricColumnIds, shownIds } from "./columns.js";
import { chooseColumns, chosenColumns, resetColumns, toggleMetric } from "./settings.js";
import { t } from "./words.js";

export const columnsButton = () =>
  columnMenu({
    key: "columns",
    label: t("overview.columns"),
    shown: shownIds.value,
    all: () =>
      [...allColumns.value.values()].map(({ id, metric, label }) => ({
        id,
        group: "",
        title: metric ? `${metric} · ${label}` : label,
      })),
    choose: chooseColumns,
    reset: resetColumns,
    isDefault: !chosenColumns.value,
    more: metricChoices,
  });

/** The metrics that have columns. @param {(title: string) => boolean} matches */
function metricChoices(matches) {
  const tags = (scalarTags.value ?? []).filter(matches);
  if (!tags.length) return nothing;
  return html`<h2>${t("overview.metrics")}</h2>
    <ul>${repeat(
      tags.slice(0, MAX_ROWS),
      (tag) => tag,
      (tag) => choice(`metric:${tag}`, tag, metrics.value.includes(tag), () => toggleMetric(tag, metricColumnIds(tag))),
    )}</ul>
    ${furtherMatches(tags.length)}`;
}
