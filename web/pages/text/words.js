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
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
