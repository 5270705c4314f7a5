// The cells of a group of runs: means and deviations of results, and what its hyperparameters have in common.

import { html, nothing } from "lit-html";
import { spreadOf } from "../../controls/mean.js";
import { grouped, inColumn, plainText } from "../../i18n/numbers.js";
import { formats } from "./rows.js";
import { t } from "./words.js";

/** @typedef {import("./row.js").Row} Row */
/** @typedef {import("./columns.js").Column} Column */
/** A cell as text; `value`: the mean. @typedef {{text: string, title: string, value?: number}} GroupCell */

/** Groups and columns are immutable: their cells are computed once for each format.
 * @type {WeakMap<readonly Row[], WeakMap<Column, {format: unknown, cell: GroupCell | null}>>} */
const cells = new WeakMap();

/** @param {readonly Row[]} rows @param {Column} column */
export function groupCell(rows, column) {
  const cell = groupText(rows, column);
  if (!cell) return nothing;
  return html`<span class="mean" data-value=${cell.value ?? nothing} title=${cell.title}>${cell.text}</span>`;
}

/** @param {readonly Row[]} rows @param {Column} column @returns {GroupCell | null} */
export function groupText(rows, column) {
  if (column.look !== "metric" && column.look !== "plain") return null;
  const format = formats.value.get(column.metric ?? "");
  const byColumn = cells.get(rows) ?? new WeakMap();
  cells.set(rows, byColumn);
  const known = byColumn.get(column);
  if (known && known.format === format) return known.cell;
  const values = rows.map(column.value);
  const cell = format ? results(values, format) : settings(values.filter((value) => value !== null));
  byColumn.set(column, { format, cell });
  return cell;
}

/** @param {import("./columns.js").Value[]} values @param {import("../../i18n/numbers.js").ColumnFormat} format
 * @returns {GroupCell | null} */
function results(values, format) {
  const spread = spreadOf(values);
  if (!spread) return null;
  const { mean, deviation, count } = spread;
  const rounded = { ...format, decimals: Math.min(format.decimals, decimalsOf(deviation)) };
  const text = count > 1 ? `${inColumn(mean, rounded)} ± ${inColumn(deviation, rounded)}` : inColumn(mean, format);
  return { text, title: t("overview.mean_of", { n: grouped(count) }), value: mean };
}

/** Two digits of a deviation, and the mean as exactly, say all that is known. @param {number} deviation */
const decimalsOf = (deviation) => (deviation > 0 ? Math.max(0, 1 - Math.floor(Math.log10(deviation))) : Infinity);

/** A mean of settings would be one that no run has. @param {import("./columns.js").Value[]} values
 * @returns {GroupCell | null} */
function settings(values) {
  const distinct = new Set(values);
  if (!distinct.size) return null;
  const [first] = distinct;
  if (distinct.size === 1) return { text: plainText(first ?? ""), title: String(first) };
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length < values.length) {
    const text = t("overview.different", { n: grouped(distinct.size) });
    return { text, title: [...distinct].join("\n") };
  }
  const [from, to] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
  return {
    text: `${plainText(from)} – ${plainText(to)}`,
    title: t("overview.range_of", { from, to, n: grouped(values.length) }),
  };
}
