// Looks up the words that several pages share.

import { en, zh } from "./shared_words.js";
import { translator } from "./text.js";

/** @typedef {keyof typeof en} TextKey */

/** @param {string} key @returns {key is TextKey} */
export const isTextKey = (key) => Object.hasOwn(en, key);

export const t = translator(en, zh);
