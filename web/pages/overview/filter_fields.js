// The fields below the headings of the table, which filter runs by the values of a column.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { isFirst } from "../../controls/run_table/columns.js";
import { stateWord } from "../../controls/state_mark.js";
import { shownColumns } from "./columns.js";
import { filterRules } from "./rows.js";
import { filterBy, filterRow, filters } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./columns.js").Column} Column */

/** Nothing unless the row of fields is open or a filter is set. */
export function filterFields() {
  if (!filterRow.value && !filters.value.size) return nothing;
  const columns = shownColumns.value;
  return html`
  <tr class="filter-fields">
    <td class="name-cell"><span class="meta">${ICONS.search}${t("overview.filter_values")}</span></td>
    ${repeat(
      columns,
      ({ id }) => id,
      (column, at) =>
        html`<td class=${isFirst(columns, at) ? "first" : ""}>${column.isDrawing ? nothing : field(column)}</td>`,
    )}
    <td></td>
  </tr>`;
}

const EXAMPLES = { number: ">0.9", text: "!=sgd", duration: ">1h", time: "" };

/** @param {Column} column */
const exampleOf = ({ id, kind }) =>
  id === "state" ? `${stateWord("failed")} or ${stateWord("lost")}` : id === "error" ? "" : EXAMPLES[kind];

/** @param {Column} column */
function field(column) {
  const { id, label, group } = column;
  const error = filterRules.value.get(id)?.error ?? "";
  const name = t("overview.filter_column", { name: group ? `${group} ${label}` : label });
  return html`<input type="text" spellcheck="false" autocomplete="off" data-filter=${id}
    .value=${filters.value.get(id) ?? ""} placeholder=${exampleOf(column)}
    aria-label=${name} aria-invalid=${Boolean(error)} title=${
      error ? t("overview.filter_broken", { part: error }) : t("overview.filter_hint")
    }
    @input=${(/** @type {InputEvent} */ event) => filterBy(id, /** @type {HTMLInputElement} */ (event.target).value)}>`;
}
