// The words of line charts, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "read.baseline": "baseline",
  "read.mean": "Mean",
  "read.median": "Median",
  "read.sum": "Sum",
  "read.low_std": "− σ",
  "read.high_std": "+ σ",
  "read.low_minmax": "Min",
  "read.high_minmax": "Max",
  "read.low_quartiles": "25 %",
  "read.high_quartiles": "75 %",
  "read.runs": "Runs",
  "read.smoothed": "Smoothed",
  "read.value": "Value",
  "read.step": "Step",
  "read.relative_step": "Relative step",
  "read.relative": "Relative",
  "read.active": "Without pauses",
  "read.wall_time": "Wall time",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "read.baseline": "基线",
  "read.mean": "平均值",
  "read.median": "中位数",
  "read.sum": "总和",
  "read.low_std": "− σ",
  "read.high_std": "+ σ",
  "read.low_minmax": "最小",
  "read.high_minmax": "最大",
  "read.low_quartiles": "25 %",
  "read.high_quartiles": "75 %",
  "read.runs": "运行数",
  "read.smoothed": "平滑值",
  "read.value": "值",
  "read.step": "步",
  "read.relative_step": "相对步",
  "read.relative": "相对时间",
  "read.active": "不含暂停",
  "read.wall_time": "绝对时间",
};

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
