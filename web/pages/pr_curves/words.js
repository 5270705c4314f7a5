// The words of the page of precision-recall curves, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "empty.no_curves": "No precision-recall curves in these runs yet.",
  "pr.threshold": "Threshold",
  "pr.threshold_hint": "A prediction counts as positive from this threshold on. Click a chart to choose it there.",
  "pr.at": "At threshold {threshold}",
  "pr.chart": "Threshold on the curves of {tag}",
  "pr.table": "Curves of {tag} at the threshold",
  "pr.run": "Run",
  "pr.ap": "AP",
  "pr.ap_name": "Average precision: the mean precision, weighted by the increase of recall",
  "pr.precision": "Precision",
  "pr.precision_short": "Prec.",
  "pr.recall": "Recall",
  "pr.recall_short": "Recall",
  "pr.tp": "TP",
  "pr.tp_name": "True positives",
  "pr.fp": "FP",
  "pr.fp_name": "False positives",
  "pr.tn": "TN",
  "pr.tn_name": "True negatives",
  "pr.fn": "FN",
  "pr.fn_name": "False negatives",
  "pr.enlarge": "Enlarge",
  "pr.shrink": "Shrink",
  "pr.keys_step": "previous and next step",
  "pr.keys_threshold": "previous and next threshold, on a focused chart",
  "pr.keys_enlarge": "enlarge or shrink the card under the cursor",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "empty.no_curves": "这些运行还没有精确率-召回率曲线。",
  "pr.threshold": "阈值",
  "pr.threshold_hint": "预测值达到此阈值即视为正例。也可在图表上点击选择。",
  "pr.at": "阈值 {threshold}",
  "pr.chart": "{tag} 曲线上的阈值",
  "pr.table": "{tag} 的各曲线在该阈值处的值",
  "pr.run": "运行",
  "pr.ap": "AP",
  "pr.ap_name": "平均精确率：以召回率的增量加权的精确率均值",
  "pr.precision": "精确率",
  "pr.precision_short": "精确率",
  "pr.recall": "召回率",
  "pr.recall_short": "召回率",
  "pr.tp": "TP",
  "pr.tp_name": "真正例",
  "pr.fp": "FP",
  "pr.fp_name": "假正例",
  "pr.tn": "TN",
  "pr.tn_name": "真负例",
  "pr.fn": "FN",
  "pr.fn_name": "假负例",
  "pr.enlarge": "放大",
  "pr.shrink": "缩小",
  "pr.keys_step": "上一步、下一步",
  "pr.keys_threshold": "焦点在图表上时，上一个或下一个阈值",
  "pr.keys_enlarge": "放大或缩小光标下的卡片",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
