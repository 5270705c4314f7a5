// Every word of the page, in English and Chinese. "one|other" holds singular and plural, chosen by {n}.

import * as frame from "./catalogue/frame.js";
import * as overview from "./catalogue/overview.js";
import * as scalars from "./catalogue/scalars.js";
import * as histograms from "./catalogue/histograms.js";
import * as images from "./catalogue/images.js";
import * as tensors from "./catalogue/tensors.js";
import * as text from "./catalogue/text.js";
import * as graph from "./catalogue/graph.js";
import * as dataset from "./catalogue/dataset.js";
import * as lineage from "./catalogue/lineage.js";
import * as landscape from "./catalogue/landscape.js";
import * as compare from "./catalogue/compare.js";

const en = { ...frame.en, ...overview.en, ...scalars.en, ...histograms.en, ...images.en, ...tensors.en, ...text.en, ...graph.en, ...dataset.en, ...lineage.en, ...landscape.en, ...compare.en };

/** @typedef {keyof typeof en} TextKey */

/** @type {Record<TextKey, string>} */
const zh = { ...frame.zh, ...overview.zh, ...scalars.zh, ...histograms.zh, ...images.zh, ...tensors.zh, ...text.zh, ...graph.zh, ...dataset.zh, ...lineage.zh, ...landscape.zh, ...compare.zh };

export const CATALOGUE = { en, zh };

/** @param {string} key @returns {key is TextKey} */
export const isTextKey = (key) => Object.hasOwn(en, key);

/** @param {keyof typeof CATALOGUE} lang @param {TextKey} key @param {Record<string, string | number>} [values] */
export function wordsOf(lang, key, values) {
  if (!values) return CATALOGUE[lang][key];
  const [one, other = one] = CATALOGUE[lang][key].split("|");
  const text = values.n === 1 || values.n === "1" ? one : other;
  return text.replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
}
