// A table of samples: a row for each, sorted by a click on a column; an opened one is shown as a whole below its row.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../../controls/icons.js";
import { grouped } from "../../../i18n/numbers.js";
import { t } from "../words.js";
import { folded, isShort } from "./cells.js";
import "./sample_detail.js";
import { isOpened, order, search, sortBy, toggle } from "./settings.js";

/** @typedef {import("./client.js").Samples} Samples */
/** @typedef {import("./client.js").Row} Row */
/** @typedef {import("./client.js").Place} Place */
/** The steps of a run. @typedef {{run: string, steps: number[]}} Steps */

/** @param {Samples} reply @param {Place} place of the text @param {Steps[]} runs whose samples can be shown beside
 * @param {(() => void) | null} more lists more of the rows; null = no more are listed */
export const sampleTable = (reply, place, runs, more) => html`
  <div class="wide" tabindex="0"><table class="sample-rows" aria-label=${t("text.table", { tag: place.tag })}>
    <thead><tr><th></th>${reply.columns.map((name, place) =>
      columnHead(
        name,
        reply.rows.some(({ cells }) => isShort(cells[place])),
      ),
    )}</tr></thead>
    <tbody>${repeat(
      reply.rows,
      ({ key }) => key,
      (row) => sampleRow(row, reply, place, runs),
    )}</tbody>
  </table></div>
  <p class="meta sample-count" role="status">${countOf(reply)}${
    more ? html` <button class="text" data-key="more-samples" @click=${more}>${t("samples.more")}</button>` : nothing
  }</p>
  ${problemsOf(reply).map((text) => html`<p class="meta damage" data-note="problem">${text}</p>`)}`;

/** @param {string} name @param {boolean} isOfNumbers */
function columnHead(name, isOfNumbers) {
  const { sort, descending } = order.value;
  const sorted = sort !== name ? "none" : descending ? "descending" : "ascending";
  return html`<th scope="col" class=${isOfNumbers ? "short" : ""} aria-sort=${sorted}><button class="quiet" title=${t("samples.sort", { name })}
    @click=${() => sortBy(name)}>${name}<span class="sort-mark" aria-hidden="true">${
      { none: "", descending: "↓", ascending: "↑" }[sorted]
    }</span></button></th>`;
}

/** @param {Row} row @param {Samples} reply @param {Place} place @param {Steps[]} runs */
function sampleRow(row, reply, place, runs) {
  const isOpen = isOpened(row.key, place.tag, place.run);
  const label = t(isOpen ? "samples.close" : "samples.open", { n: grouped(row.row + 1) });
  return html`
    <tr data-row=${row.row} class=${isOpen ? "opened" : ""}>
      <th scope="row"><button class="quiet" data-key="open-sample" title=${label} aria-label=${label}
        aria-expanded=${isOpen} @click=${() => toggle(row.key, place.tag, place.run)}>${ICONS.chevron}<span
          aria-hidden="true">${grouped(row.row + 1)}</span></button></th>
      ${row.cells.map((cell) => html`<td class=${isShort(cell) ? "short" : ""}>${folded(cell)}</td>`)}
    </tr>
    ${
      isOpen
        ? html`<tr class="sample-opened"><td colspan=${reply.columns.length + 1}><sample-detail .place=${place}
            .columns=${reply.columns} .row=${row} .runs=${runs}></sample-detail></td></tr>`
        : nothing
    }`;
}

/** @param {Samples} reply */
function countOf({ rows, found, total }) {
  const shown = grouped(rows.length);
  if (search.value) return t("samples.found", { shown, found: grouped(found), n: grouped(total) });
  return rows.length < total
    ? t("samples.some", { shown, n: grouped(total) })
    : t("samples.all", { n: grouped(total) });
}

/** What is not in the table. @param {Samples} reply */
function problemsOf({ damaged, damaged_lines: lines, left_out_columns: columns, left_out_rows: rows }) {
  const texts = [];
  if (damaged) {
    const named = lines.map(grouped).join(", ") + (damaged > lines.length ? ", …" : "");
    texts.push(t("samples.damaged", { n: grouped(damaged), lines: named }));
  }
  if (columns) texts.push(t("samples.columns_cut", { n: grouped(columns) }));
  if (rows) texts.push(t("samples.rows_cut", { n: grouped(rows) }));
  return texts;
}
