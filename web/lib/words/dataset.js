// What the dataset graph says.

export const en = {};

/** @type {Record<keyof typeof en, string>} */
export const zh = {};
