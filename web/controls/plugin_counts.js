// What a run's files hold, in words: "12 scalars, 3 histograms".

import { isTextKey } from "../i18n/text.js";
import { lang } from "../data/view.js";
import { t } from "../i18n/words.js";

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
    .join(lang.value === "zh" ? "、" : ", ");
