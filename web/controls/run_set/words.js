// The words of the bar for the set of runs, in English and Chinese.

import { translator } from "../../i18n/text.js";

export const en = {
  "run_set.find": "Find",
  "run_set.more": "+{n} more",
  "run_set.parameters": "Hyperparameters",
  "run_set.metrics": "Metrics",
  "run_set.colour": "Colour",
  "run_set.colour_hint": "Colour runs by",
  "run_set.colour_own": "Run: each has its own colour",
  "run_set.last": "last",
  "run_set.min": "min",
  "run_set.max": "max",
  "run_set.scale": "{name}: from {from} to {to}",
  "run_set.log": "log",
  "run_set.no_values": "No run has a value",
};
export const zh = {
  "run_set.find": "查找",
  "run_set.more": "另有 {n} 项",
  "run_set.parameters": "超参数",
  "run_set.metrics": "指标",
  "run_set.colour": "颜色",
  "run_set.colour_hint": "运行颜色依据",
  "run_set.colour_own": "运行：各有颜色",
  "run_set.last": "最新",
  "run_set.min": "最小",
  "run_set.max": "最大",
  "run_set.scale": "{name}：从 {from} 到 {to}",
  "run_set.log": "对数",
  "run_set.no_values": "没有运行有此值",
};

export const t = translator(en, zh);
