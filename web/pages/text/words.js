// The words of the text page, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "empty.no_text": "These runs hold no texts yet.",
  "text.shown_as": "How texts are shown",
  "text.markdown": "Markdown",
  "text.markdown_hint": "Formatted; HTML in it is shown as text",
  "text.raw": "As written",
  "text.raw_hint": "Every character as it was recorded",
  "text.enlarge": "Enlarge",
  "text.shrink": "Shrink",
  "text.copy": "Copy the text",
  "text.keys_step": "previous and next step",
  "text.keys_raw": "Markdown or as written",
  "text.keys_enlarge": "enlarge the card under the cursor",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "empty.no_text": "这些运行还没有文本。",
  "text.shown_as": "文本显示方式",
  "text.markdown": "Markdown",
  "text.markdown_hint": "按格式显示；其中的 HTML 显示为文本",
  "text.raw": "原文",
  "text.raw_hint": "逐字显示记录的内容",
  "text.enlarge": "放大",
  "text.shrink": "缩小",
  "text.copy": "复制文本",
  "text.keys_step": "上一步、下一步",
  "text.keys_raw": "Markdown 或原文",
  "text.keys_enlarge": "放大光标下的卡片",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
