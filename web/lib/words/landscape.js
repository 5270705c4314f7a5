// Words of the landscape page.

export const en = {
  "page.landscape": "Landscape",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.landscape": "损失景观",
};
