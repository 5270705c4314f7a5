// What a run's files hold, in words: "12 scalars, 3 histograms".

import { language } from "../i18n/language.js";
import { isTextKey, t } from "../i18n/words.js";

/** @param {import("../data/replies.js").RunRow} row @param {(plugin: string) => boolean} [wanted] */
export const foundIn = (row, wanted = () => true) =>
  listFound(Object.entries(row.plugins).filter(([plugin, n]) => n > 0 && wanted(plugin)));

/** @param {Array<[string, number]>} counts */
export const listFound = (counts) =>
  counts
    .map(([plugin, n]) => {
      const key = `plugin.${plugin}`;
      return isTextKey(key) ? t(key, { n }) : `${n} ${plugin}`;
    })
    .join(language.value === "zh" ? "、" : ", ");
