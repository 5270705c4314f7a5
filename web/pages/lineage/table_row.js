// A row of the table: a run and its values in the visible columns.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { labelChips } from "../../controls/label_chips.js";
import { firstLine } from "../../controls/markdown/first_line.js";
import { fractionRoom, numberCell } from "../../controls/number_cell.js";
import { nameOf, nameParts } from "../../controls/run_name.js";
import { DASHES } from "../../data/colours/run_styles.js";
import { printView } from "../../data/view/address.js";
import { cursorRun, hoveredRun, panel } from "../../data/view/pointer.js";
import { change, narrow, view } from "../../data/view/view.js";
import { columnFormat, inColumn, plainText, wholePart } from "../../i18n/numbers.js";
import { lineages } from "./model/runs.js";
import { styleOfRow } from "./run_colours.js";
import { selected } from "./settings.js";
import { sources } from "./state.js";
import { isFirstOfGroup } from "./table_head.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

/** Characters of a name for which the first column has room. */
const [NAME, NARROW_NAME] = [20, 14];

/**
 * @param {number} row @param {Column[]} columns @param {[number, number]} window rendered columns @param {number} place
 */
export function tableRow(row, columns, [from, to], place) {
  const { run } = sources.value[row];
  const style = styleOfRow.value(run);
  const isSelected = selected.value.has(run);
  const name = nameOf(run);
  const problems = lineages.rows.value.get(run)?.problems ?? [];
  return html`
    <tr class="run-line ${cursorRun.value === run ? "cursor" : ""} ${
      hoveredRun.peek() === run ? "pointed" : ""
    } ${isSelected ? "selected" : ""}" aria-rowindex=${place + 3} data-run=${run}
  @pointerenter=${() => (hoveredRun.value = run)}>
      <th scope="row" class="name-cell"><div>
        <input type="checkbox" .checked=${isSelected} aria-label=${t("lineage.select_run", { run: name })}
          @change=${() => toggleSelected(run)}>
        ${swatch(style, DASHES[style.dash])}
        ${runLink(run, name)}
        ${
          problems.length
            ? html`<span class="damaged" role="img" aria-label=${problems.join("\n")}
              title=${problems.join("\n")}>${ICONS.warning}</span>`
            : nothing
        }
        <button class="quiet" data-key="details" title=${t("rail.details")}
          aria-label=${`${t("rail.details")}: ${name}`}
          @click=${() => (panel.value = { kind: "run", run })}>${ICONS.details}</button>
      </div></th>
      ${from ? html`<td colspan=${from}></td>` : nothing}
      ${repeat(
        columns.slice(from, to),
        ({ id }) => id,
        (column, at) =>
          html`<td class="${column.isNumber ? "number" : ""} ${isFirstOfGroup(columns, from + at) ? "first" : ""}"
            data-column=${column.id}>${cell(column, row)}</td>`,
      )}
      ${to < columns.length ? html`<td colspan=${columns.length - to}></td>` : nothing}
      <td></td>
    </tr>`;
}

/** @param {string} run */
function toggleSelected(run) {
  const runs = new Set(selected.peek());
  if (!runs.delete(run)) runs.add(run);
  selected.value = runs;
}

/** The address of the overview page without a run. */
const overviewAddress = computed(() =>
  printView({ ...view.value, page: "overview", selection: { mode: "hide", runs: new Set() }, own: {} }),
);

/** A link to the page of a run. @param {string} run @param {string} name */
function runLink(run, name) {
  const openRun = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    change({ page: "overview", own: { ...view.peek().own, "over.run": run } });
  };
  return html`<a class="run-name" href="#${overviewAddress.value}&over.run=${encodeURIComponent(run)}"
    title=${name === run ? run : `${name}\n${run}`} @click=${openRun}>${nameParts(run, narrow.value ? NARROW_NAME : NAME)}</a>`;
}

/** A cache: columns never change. @type {WeakMap<Column, import("../../i18n/numbers.js").ColumnFormat>} */
const formats = new WeakMap();

/** Results have aligned decimals; other values are shown as recorded. @param {Column} column */
function formatOf(column) {
  if (column.section !== "metric" && column.section !== "last" && column.id !== "model:loss") return null;
  const format =
    formats.get(column) ?? columnFormat(column.values.flatMap((value) => (typeof value === "number" ? [value] : [])));
  formats.set(column, format);
  return format;
}

/** A cache too. @type {WeakMap<Column, number>} */
const rooms = new WeakMap();

/** @param {Column} column */
function roomOf(column) {
  const room = rooms.get(column) ?? fractionRoom(column.values);
  rooms.set(column, room);
  return room;
}

/** The numbers of a column as they are shown, with room for the fractions of all.
 * @param {Column} column @returns {Iterable<string>} */
export function* numberTexts(column) {
  const format = formatOf(column);
  for (const value of column.values)
    if (typeof value === "number")
      yield format ? inColumn(value, format) : wholePart(plainText(value)) + "0".repeat(roomOf(column));
}

/** @param {Column} column @param {number} row */
function cell(column, row) {
  const value = column.values[row];
  if (value === null || value === undefined) return html`<span class="dim">–</span>`;
  if (column.id === "note:labels") return labelChips(String(value).split(", "));
  if (column.id === "note:note")
    return html`<span data-value=${value} title=${value}>${firstLine(String(value))}</span>`;
  if (typeof value !== "number") return html`<span data-value=${value} title=${value}>${value}</span>`;
  const format = formatOf(column);
  const text = format ? inColumn(value, format) : numberCell(value, roomOf(column));
  return html`<span class=${Number.isFinite(value) ? "" : "non-finite"} data-value=${value}
    title=${value}>${text}</span>`;
}
