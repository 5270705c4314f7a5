// Words of the histograms page.

export const en = {
  "page.histograms": "Histograms",
  "empty.no_histograms": "These runs hold no histograms yet.",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.histograms": "直方图",
  "empty.no_histograms": "这些运行还没有直方图。",
};
