// Words of the text page.

export const en = {
  "page.text": "Text",
  "empty.no_text": "These runs hold no texts yet.",
  "text.shown_as": "How texts are shown",
  "text.markdown": "Markdown",
  "text.markdown_hint": "Formatted; HTML in it is shown as text",
  "text.raw": "As written",
  "text.raw_hint": "Every character as it was recorded",
  "text.long": "Longer than {most} characters: shown as written.",
  "text.cut": "The first {most} of {n} characters.",
  "text.rows_cut": "The first {most} of {n} rows.",
  "text.enlarge": "Enlarge",
  "text.shrink": "Shrink",
  "text.copy": "Copy the text",
  "text.picture": "Picture: {text}",
  "text.table": "Table of {tag}",
  "text.keys_step": "previous and next step",
  "text.keys_raw": "Markdown or as written",
  "text.keys_enlarge": "enlarge the card under the cursor",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.text": "文本",
  "empty.no_text": "这些运行还没有文本。",
  "text.shown_as": "文本显示方式",
  "text.markdown": "Markdown",
  "text.markdown_hint": "按格式显示；其中的 HTML 显示为文本",
  "text.raw": "原文",
  "text.raw_hint": "逐字显示记录的内容",
  "text.long": "超过 {most} 个字符：显示原文。",
  "text.cut": "前 {most} 个字符，共 {n} 个。",
  "text.rows_cut": "前 {most} 行，共 {n} 行。",
  "text.enlarge": "放大",
  "text.shrink": "缩小",
  "text.copy": "复制文本",
  "text.picture": "图片：{text}",
  "text.table": "{tag} 的表格",
  "text.keys_step": "上一步、下一步",
  "text.keys_raw": "Markdown 或原文",
  "text.keys_enlarge": "放大光标下的卡片",
};
