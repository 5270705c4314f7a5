// The words of tables of runs and their column menus, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "run_table.group_runs": "{n} run|{n} runs",
  "run_table.group_draw": "Show or hide all runs of this group",
  "run_table.group_mark": "Select all runs of this group",
  "run_table.mark_all": "Select all runs of this table",
  "run_table.draw_all": "Show or hide all runs of this table",
  "run_table.shown_columns": "Visible columns, in order",
  "run_table.other_columns": "More columns",
  "run_table.earlier": "Move towards the start",
  "run_table.later": "Move towards the end",
  "run_table.select_all": "Select all {n}",
  "run_table.select_none": "Select none",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "run_table.group_runs": "{n} 个运行",
  "run_table.group_draw": "显示或隐藏此组的全部运行",
  "run_table.group_mark": "选择此组的全部运行",
  "run_table.mark_all": "选择此表的全部运行",
  "run_table.draw_all": "显示或隐藏表中的全部运行",
  "run_table.shown_columns": "已显示的列（按顺序）",
  "run_table.other_columns": "其他列",
  "run_table.earlier": "前移",
  "run_table.later": "后移",
  "run_table.select_all": "全选 {n} 项",
  "run_table.select_none": "全不选",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
