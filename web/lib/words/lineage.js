// Words of the lineage page.

export const en = {
  "page.lineage": "Lineage",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.lineage": "溯源",
};
