// The contents of runs as text: "12 scalars, 3 histograms".

import { language } from "../i18n/language.js";
import { grouped } from "../i18n/numbers.js";
import { isTextKey, t } from "../i18n/words.js";

/** @param {import("../data/client/api_types.js").RunRow} row @param {(plugin: string) => boolean} includes */
export const pluginCounts = (row, includes) =>
  formatPluginCounts(Object.entries(row.plugins).filter(([plugin, n]) => n > 0 && includes(plugin)));

/** @param {Array<[string, number]>} counts */
export const formatPluginCounts = (counts) =>
  counts
    .map(([plugin, n]) => {
      const key = `plugin.${plugin}`;
      return isTextKey(key) ? t(key, { n: grouped(n) }) : `${grouped(n)} ${plugin}`;
    })
    .join(language.value === "zh" ? "、" : ", ");
