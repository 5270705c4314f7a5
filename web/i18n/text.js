// Text in the current language. A catalogue maps keys to text; "one|other" contains singular and plural, selected by
// {n}.

import { language } from "./language.js";

/** Fills the placeholders of a text.
 * @param {string} text @param {Record<string, string | number>} [values] */
export function format(text, values) {
  if (!values) return text;
  const [singular, plural = singular] = text.split("|");
  const chosen = values.n === 1 || values.n === "1" ? singular : plural;
  return chosen.replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
}

/** Returns the function that looks up a key in the current language. An effect that calls it follows the language.
 * @template {string} Key
 * @param {Record<Key, string>} en @param {Record<Key, string>} zh */
export const translator =
  (en, zh) =>
  (/** @type {Key} */ key, /** @type {Record<string, string | number> | undefined} */ values = undefined) =>
    format((language.value === "zh" ? zh : en)[key], values);
