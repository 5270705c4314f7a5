// What a line chart draws: tags, those that match patterns, and expressions, each once.

import { regexFilter } from "../../../data/text/regex_filter.js";

/** One column of every run: a tag, or an expression of tags.
 * @typedef {{name: string, isExpression: boolean, side: "left" | "right"}} Source */

/** Tags of one chart. */
export const MAX_SOURCES = 24;

/** @param {import("./line_settings.js").LineSettings} settings @param {readonly string[]} allTags
 * @returns {{sources: Source[], leftOut: number, errors: string[]}} errors: invalid patterns */
export function sourcesOf({ tags, patterns, expressions, right }, allTags) {
  const onRight = new Set(right);
  /** @type {Map<string, Source>} */
  const sources = new Map();
  /** @type {string[]} */
  const errors = [];
  const add = (/** @type {string} */ name, /** @type {string} */ from, isExpression = false) => {
    const key = `${isExpression} ${name}`;
    const side = onRight.has(from) || onRight.has(name) ? "right" : "left";
    if (!sources.has(key)) sources.set(key, { name, isExpression, side });
  };
  for (const tag of tags) add(tag, tag);
  for (const pattern of patterns) {
    const filter = regexFilter(pattern);
    const matching = filter.error ? [] : allTags.filter(filter.keeps);
    if (filter.error) errors.push(`${pattern}: ${filter.error}`);
    for (const tag of matching) add(tag, pattern);
  }
  for (const expression of expressions) add(expression, expression, true);
  const all = [...sources.values()];
  return { sources: all.slice(0, MAX_SOURCES), leftOut: Math.max(0, all.length - MAX_SOURCES), errors };
}
