// The words of the text page, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "empty.no_text": "These runs have no text yet.",
  "text.shown_as": "Display mode",
  "text.markdown": "Markdown",
  "text.markdown_hint": "Formatted; HTML is shown as text",
  "text.raw": "Raw",
  "text.raw_hint": "Exactly as recorded",
  "text.enlarge": "Enlarge",
  "text.shrink": "Shrink",
  "text.copy": "Copy text",
  "text.keys_step": "previous and next step",
  "text.keys_raw": "Markdown or raw",
  "text.keys_enlarge": "enlarge the card under the cursor",
  "samples.search": "Search samples",
  "samples.sort": "Sort by {name}",
  "samples.open": "Show sample {n}",
  "samples.close": "Hide sample {n}",
  "samples.more": "Show more",
  "samples.all": "{n} sample|{n} samples",
  "samples.some": "The first {shown} of {n} samples",
  "samples.found": "{shown} shown, {found} of {n} samples found",
  "samples.damaged":
    "{n} line is not a JSON object and left out: {lines}|{n} lines are not JSON objects and left out: {lines}",
  "samples.columns_cut": "{n} more column is left out|{n} more columns are left out",
  "samples.rows_cut": "{n} more line is left out|{n} more lines are left out",
  "samples.beside": "Compare with",
  "samples.beside_run": "Run to compare with",
  "samples.beside_step": "Step to compare with",
  "samples.beside_none": "No other step",
  "samples.not_there": "There is no such sample at step {step}.",
  "samples.copy": "Copy {name}",
  "samples.unmarked": "Too different to mark",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "empty.no_text": "这些运行还没有文本。",
  "text.shown_as": "显示方式",
  "text.markdown": "Markdown",
  "text.markdown_hint": "按格式显示；其中的 HTML 显示为文本",
  "text.raw": "原文",
  "text.raw_hint": "与记录的内容完全一致",
  "text.enlarge": "放大",
  "text.shrink": "缩小",
  "text.copy": "复制文本",
  "text.keys_step": "上一步、下一步",
  "text.keys_raw": "Markdown 或原文",
  "text.keys_enlarge": "放大光标下的卡片",
  "samples.search": "搜索样本",
  "samples.sort": "按 {name} 排序",
  "samples.open": "显示样本 {n}",
  "samples.close": "收起样本 {n}",
  "samples.more": "显示更多",
  "samples.all": "{n} 个样本",
  "samples.some": "共 {n} 个样本，显示前 {shown} 个",
  "samples.found": "共 {n} 个样本，找到 {found} 个，显示 {shown} 个",
  "samples.damaged": "{n} 行不是 JSON 对象，已略去：第 {lines} 行",
  "samples.columns_cut": "另有 {n} 列未显示",
  "samples.rows_cut": "另有 {n} 行未读取",
  "samples.beside": "与之比较",
  "samples.beside_run": "要比较的运行",
  "samples.beside_step": "要比较的步数",
  "samples.beside_none": "不比较",
  "samples.not_there": "第 {step} 步没有这个样本。",
  "samples.copy": "复制 {name}",
  "samples.unmarked": "差异太大，未标出",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
