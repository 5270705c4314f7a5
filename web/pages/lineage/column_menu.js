// Menus that select the columns of the table and the axes.

import { columnMenu } from "../../controls/run_table/column_menu.js";
import { choose, chosenAxes, chosenColumns } from "./settings.js";
import { axisIds, columnIds, columns, tableColumns } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

export const axesMenu = () => menu("axes", axisIds.value, columns.value, chosenAxes.value === null);
export const tableMenu = () => menu("columns", columnIds.value, tableColumns.value, chosenColumns.value === null);

/** @param {"axes" | "columns"} kind @param {readonly string[]} shown @param {ReadonlyMap<string, Column>} all
 * @param {boolean} isDefault */
const menu = (kind, shown, all, isDefault) =>
  columnMenu({
    key: kind,
    label: t(`lineage.${kind}`),
    shown,
    all: () =>
      [...all.values()].map((column) => ({
        id: column.id,
        group: groupOf(column),
        title: titleOf(column),
        count: column.distinct,
      })),
    choose: (ids) => choose(kind, ids),
    reset: () => choose(kind, null),
    isDefault,
  });

/** @param {Column} column */
export const groupOf = ({ id, section }) => t(`lineage.group_${id.startsWith("note:") ? "note" : section}`);

/** @param {Column} column */
export const titleOf = ({ id, name }) =>
  id === "note:labels" ? t("overview.col_labels") : id === "note:note" ? t("overview.col_note") : name;
