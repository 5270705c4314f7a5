// The words of line charts, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "read.baseline": "baseline",
  "read.centre": "Aggregate",
  "read.low": "Low",
  "read.high": "High",
  "read.runs": "Runs",
  "read.smoothed": "Smoothed",
  "read.value": "Value",
  "read.step": "Step",
  "read.relative": "Relative",
  "read.wall_time": "Wall time",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "read.baseline": "基线",
  "read.centre": "聚合",
  "read.low": "下沿",
  "read.high": "上沿",
  "read.runs": "运行数",
  "read.smoothed": "平滑值",
  "read.value": "值",
  "read.step": "步",
  "read.relative": "相对时间",
  "read.wall_time": "绝对时间",
};

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
