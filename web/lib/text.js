// Every word of the page, in English and Chinese. "one|other" holds singular and plural, chosen by {n}.

import * as frame from "./words/frame.js";
import * as overview from "./words/overview.js";
import * as scalars from "./words/scalars.js";
import * as histograms from "./words/histograms.js";
import * as images from "./words/images.js";
import * as tensors from "./words/tensors.js";
import * as text from "./words/text.js";
import * as graph from "./words/graph.js";
import * as dataset from "./words/dataset.js";
import * as lineage from "./words/lineage.js";
import * as landscape from "./words/landscape.js";
import * as compare from "./words/compare.js";

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
