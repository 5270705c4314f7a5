// The page's words in the language of the moment.

import { wordsOf } from "../lib/text.js";
import { lang } from "./view.js";

/** @typedef {import("../lib/text.js").TextKey} TextKey */

/** Reading it inside an effect makes the effect follow the language.
 * @param {TextKey} key @param {Record<string, string | number>} [values] */
export const t = (key, values) => wordsOf(lang.value, key, values);
