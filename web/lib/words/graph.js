// Words of the graph page.

export const en = {
  "page.graph": "Graph",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.graph": "计算图",
};
