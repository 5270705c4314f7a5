// The table below an enlarged chart: the last value, the extremes and the value at the crosshair of each line.

import { computed, effect, signal } from "@preact/signals-core";
import { html, nothing, render } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { nearest } from "../../charts/binary_search.js";
import { keyOf } from "../../charts/plot.js";
import { nameOfLine } from "../../controls/download.js";
import { swatch } from "../../controls/icons.js";
import { exactPoints } from "../../controls/lines/exact_points.js";
import { nameParts } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { crosshair, hoveredRun } from "../../data/view/pointer.js";
import { set, setting } from "../../data/view/view.js";
import { columnFormat, grouped, inColumn } from "../../i18n/numbers.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/plot.js").Line} Line */
/** @typedef {import("../../i18n/numbers.js").ColumnFormat} ColumnFormat */

const MAX_ROWS = 200;
const COLUMNS = /** @type {const} */ (["last", "smoothed", "step", "min", "min_step", "max", "max_step"]);
/** @typedef {"name" | (typeof COLUMNS)[number]} Column */

/** The column to sort by, with a minus descending; "" = the order of the chart. */
const sort = setting("scalar.sort", /** @type {string} */ (""));

/** @param {Line} line @returns {Record<(typeof COLUMNS)[number], number>} */
function valuesOf({ ys, raw, series }) {
  const { value, step, min, max } = series;
  return {
    last: value.at(-1) ?? NaN,
    smoothed: raw ? (ys.at(-1) ?? NaN) : NaN,
    step: step.at(-1) ?? NaN,
    min: min?.value ?? NaN,
    min_step: min?.step ?? NaN,
    max: max?.value ?? NaN,
    max_step: max?.step ?? NaN,
  };
}

class ValueTable extends HTMLElement {
  #plot = signal(/** @type {Plot | null} */ (null));
  /** @type {Array<() => void>} */
  #ends = [];
  #frame = 0;

  /** @param {Plot | null} plot */
  set plot(plot) {
    this.#plot.value = plot;
  }

  connectedCallback() {
    const rows = computed(() => rowsOf(this.#plot.value?.lines ?? []));
    this.#ends = [
      effect(() => void render(table(rows.value, this.#plot.value?.axis), this)),
      effect(() => {
        crosshair.value;
        exactPoints.value;
        rows.value;
        this.#frame ||= requestAnimationFrame(() => this.#showValues());
      }),
    ];
  }

  disconnectedCallback() {
    cancelAnimationFrame(this.#frame);
    for (const end of this.#ends.splice(0)) end();
  }

  /** Writes only the cells that change. */
  #showValues() {
    this.#frame = 0;
    const plot = this.#plot.peek();
    const at = crosshair.peek();
    const lines = new Map(plot?.lines.map((line) => [keyOf(line), line]));
    for (const cell of this.querySelectorAll("td[data-column='at']")) {
      const line = lines.get(/** @type {HTMLElement} */ (cell.parentElement).dataset.key ?? "");
      const text = at && line && at.axis === plot?.axis ? valueAt(line, at.x) : "";
      if (cell.textContent !== text) cell.textContent = text;
    }
  }
}

/** @param {Line} line @param {number} x */
function valueAt(line, x) {
  const { xs, ys } = line;
  const exact = exactPoints.peek();
  const value = (exact.step === x ? exact.points.get(keyOf(line))?.drawn : undefined) ?? ys[nearest(xs, x)];
  return inColumn(value, columnFormat([value]));
}

/** @typedef {{line: Line, name: string, values: ReturnType<typeof valuesOf>}} Row */

/** @param {Line[]} lines @returns {Row[]} */
function rowsOf(lines) {
  const rows = lines.map((line) => ({ line, name: nameOfLine(line), values: valuesOf(line) }));
  const column = /** @type {Column} */ (sort.value.replace(/^-/, ""));
  const sign = sort.value.startsWith("-") ? -1 : 1;
  if (column === "name") return rows.sort((a, b) => sign * a.name.localeCompare(b.name));
  if (!COLUMNS.includes(/** @type {any} */ (column))) return rows;
  // Rows without a value are last in either direction.
  return rows.sort(
    (a, b) =>
      Number(Number.isNaN(a.values[column])) - Number(Number.isNaN(b.values[column])) ||
      sign * (a.values[column] - b.values[column]) ||
      0,
  );
}

/** @param {Row[]} rows @param {import("../../charts/ticks.js").Axis} [axis] */
function table(rows, axis) {
  const shown = rows.slice(0, MAX_ROWS);
  const columns = COLUMNS.filter(
    (column) =>
      (column !== "smoothed" || rows.some(({ line }) => line.raw)) &&
      (!column.endsWith("step") || axis === "step" || !rows[0]?.line.series.band),
  );
  const formats = new Map(columns.map((column) => [column, columnFormat(shown.map(({ values }) => values[column]))]));
  return html`<table class="values">
    <thead><tr>${heading("name")}${columns.map(heading)}<th scope="col" class="at">${t("table.at")}</th></tr></thead>
    <tbody>${repeat(
      shown,
      ({ line }) => keyOf(line),
      (row) => tableRow(row, columns, formats),
    )}</tbody>
  </table>
  ${
    rows.length > shown.length
      ? html`<p class="meta">${t("read.more", { n: grouped(rows.length - shown.length) })}</p>`
      : nothing
  }`;
}

/** @param {Column} column */
function heading(column) {
  const order = sort.value === column ? "ascending" : sort.value === `-${column}` ? "descending" : "none";
  const next = order === "ascending" ? `-${column}` : order === "descending" ? "" : column;
  return html`<th scope="col" aria-sort=${order} data-column=${column}><button @click=${() =>
    set({
      "scalar.sort": next,
    })}>${t(`table.${column}`)}<span
      aria-hidden="true">${{ ascending: " ↑", descending: " ↓", none: "" }[order]}</span></button></th>`;
}

/** @param {Row} row @param {Array<(typeof COLUMNS)[number]>} columns @param {Map<string, ColumnFormat>} formats */
const tableRow = ({ line, name, values }, columns, formats) => html`
  <tr data-key=${keyOf(line)} data-run=${line.run} @mouseenter=${() => (hoveredRun.value = line.run)}
    @mouseleave=${() => (hoveredRun.value = null)}>
    <th scope="row">${swatch(line.style, DASHES[line.style.dash], line.isBaseline ? "var(--text-3)" : undefined)}${shortened(line, name)}</th>
    ${columns.map(
      (column) =>
        html`<td data-column=${column} class=${
          column.endsWith("step") ? "step" : Number.isFinite(values[column]) ? "" : "non-finite"
        }>${cell(column, values[column], formats)}</td>`,
    )}
    <td data-column="at"></td>
  </tr>`;

/** The short name of a line. @param {Line} line @param {string} name the whole */
function shortened({ run, kin = [], series }, name) {
  if (series.band && !run) return html`<span class="run-name" title=${name}>${name}</span>`;
  return html`<span class="run-name" title=${name}>${nameParts(run)}${kin.length ? ` · ${kin.join(" · ")}` : nothing}</span>`;
}

/** @param {(typeof COLUMNS)[number]} column @param {number} value @param {Map<string, ColumnFormat>} formats */
function cell(column, value, formats) {
  if (column.endsWith("step")) return Number.isNaN(value) ? "–" : grouped(value);
  return Number.isNaN(value) && column !== "last"
    ? "–"
    : inColumn(value, /** @type {ColumnFormat} */ (formats.get(column)));
}

customElements.define("value-table", ValueTable);
