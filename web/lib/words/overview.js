// Words of the overview page.

export const en = {
  "page.overview": "Overview",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.overview": "总览",
};
