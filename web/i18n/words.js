// The page's words in the language of the moment.

import { wordsOf } from "./text.js";
import { lang } from "../data/view.js";

/** @typedef {import("./text.js").TextKey} TextKey */

/** Reading it inside an effect makes the effect follow the language.
 * @param {TextKey} key @param {Record<string, string | number>} [values] */
export const t = (key, values) => wordsOf(lang.value, key, values);
