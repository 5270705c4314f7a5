// Words of the text page.

export const en = {
  "page.text": "Text",
  "empty.no_text": "These runs hold no texts yet.",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.text": "文本",
  "empty.no_text": "这些运行还没有文本。",
};
