// Words of the compare page.

export const en = {
  "page.compare": "Compare",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.compare": "对比",
};
