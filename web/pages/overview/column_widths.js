// The widths of the columns of the table of runs: those of their values.

import { computed } from "@preact/signals-core";
import { columnWidth } from "../../controls/run_table/column_width.js";
import { stateWord } from "../../controls/state_mark.js";
import { runColumns } from "../../data/runs/run_columns.js";
import { inColumn, plainText, wholePart } from "../../i18n/numbers.js";
import { stateNotes } from "./cells.js";
import { shownColumns } from "./columns.js";
import { groupText } from "./group_cells.js";
import { formats, fractionRooms, keptRows, rowGroups } from "./rows.js";

/** @typedef {import("./columns.js").Column} Column */

/** Rows whose values are looked at. */
const MAX_ROWS = 1000;
/** Of the mark before the word of a state. */
const MARK = "MM";

/** The widest so far, so that columns do not move while values arrive. @type {Map<string, number>} */
const widest = new Map();

/** In pixels, of the shown columns. */
export const columnWidths = computed(() => shownColumns.value.map((column) => column.width || widthOf(column)));

/** @param {Column} column */
function widthOf(column) {
  const isNumber = column.kind === "number";
  const width = columnWidth(column.label, textsOf(column), isNumber);
  const wider = Math.max(width, widest.get(column.id) ?? 0);
  widest.set(column.id, wider);
  return wider;
}

/** @param {Column} column @returns {Iterable<string>} */
function* textsOf(column) {
  const format = column.look === "metric" ? formats.value.get(column.metric ?? "") : undefined;
  const firstBad = column.look === "state" ? runColumns.of("fact", "first_bad") : null;
  for (const row of keptRows.value.slice(0, MAX_ROWS)) {
    const value = column.value(row);
    if (firstBad) yield MARK + [stateWord(row.runRow.state), ...stateNotes(row, firstBad(row.run) !== null)].join("M");
    else if (value === null) continue;
    else if (typeof value !== "number") yield String(value);
    else if (format) yield inColumn(value, format);
    else yield wholePart(plainText(value)) + "0".repeat(fractionRooms.value(column));
  }
  for (const { rows } of rowGroups.value ?? []) yield groupText(rows, column)?.text ?? "";
}
