// The histograms of a card as a table, rendered only while it is open.

import { html, nothing } from "lit-html";
import { meanOf, nonFiniteCount, percentile } from "../../charts/histogram/buckets.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf, shortNameOf } from "../../controls/run_name.js";
import { columnFormat, grouped, inColumn } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/histogram/buckets.js").Line} Line */
/** @typedef {import("../../charts/histogram/buckets.js").Distribution} Distribution */

/** Columns of values, which share one number format. @type {Array<(row: Distribution) => number | null>} */
const VALUES = [(row) => row.min, (row) => row.max, meanOf, (row) => (row.total ? percentile(row, 0.5) : null)];

/** @param {import("@preact/signals-core").Signal<boolean>} shown */
export const tableSwitch = (
  shown,
) => html`<button class="hist-table-switch" data-key="table" aria-expanded=${shown.value}
  @click=${() => (shown.value = !shown.value)}>
  ${ICONS.chevron}${t("hist.table")}</button>`;

/** @param {Line[]} lines */
export function table(lines) {
  const rows = lines.flatMap((line) => line.rows.map((row) => ({ run: line.run, row })));
  const values = rows.flatMap(({ row }) => VALUES.map((of) => of(row)).filter((value) => value !== null));
  const format = columnFormat(values);
  const hasSeveral = lines.length > 1;
  const head = [
    t("hist.step"),
    t("hist.count"),
    t("hist.non_finite"),
    t("hist.min"),
    t("hist.max"),
    t("hist.mean"),
    t("hist.median"),
  ];
  return html`<div class="hist-rows" tabindex="0" role="region" aria-label=${t("hist.table")}><table>
    <thead><tr>${
      hasSeveral ? html`<th scope="col" class="name">${t("hist.run")}</th>` : nothing
    }${head.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead>
    <tbody>${rows.map(
      ({ run, row }) => html`<tr data-step=${row.step}>
      ${hasSeveral ? html`<td class="name" title=${nameOf(run)}>${shortNameOf(run)}</td>` : nothing}
      <td>${grouped(row.step)}</td><td>${grouped(row.count)}</td>
      <td
        class=${nonFiniteCount(row) ? "non-finite" : ""}>${
          nonFiniteCount(row) ? grouped(nonFiniteCount(row)) : "–"
        }</td>
      ${VALUES.map((of) => html`<td>${cell(of(row), format)}</td>`)}
    </tr>`,
    )}</tbody>
  </table></div>`;
}

/** @param {number | null} value @param {import("../../i18n/numbers.js").ColumnFormat} format */
const cell = (value, format) => (value === null ? "–" : inColumn(value, format));
