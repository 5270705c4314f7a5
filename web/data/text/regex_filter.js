// Filters by a regular expression, which may be invalid while it is typed.

import { compile, longestNativeText, PatternError } from "./linear_regex.js";

/** A parsed filter; `error` is the reason why it is invalid, or why it no longer filters.
 * @typedef {{keeps: (name: string) => boolean, groupOf: (name: string) => string | null, readonly error: string | null}}
 *   RegexFilter */

/** Matches anywhere, ignoring case. An invalid expression, or one that takes too long, keeps everything.
 * `groupOf` returns the first capture group, else the whole match; null: none.
 * @param {string} pattern @returns {RegexFilter} */
export function regexFilter(pattern) {
  if (!pattern) return { keeps: () => true, groupOf: () => null, error: null };
  try {
    const filter = filterBy(compile(pattern));
    const longest = longestNativeText(pattern);
    if (longest < 0) return filter;
    const expression = new RegExp(pattern, "i"); // Sooner than a look at the names that were matched before.
    return {
      keeps: (name) => (name.length <= longest ? expression.test(name) : filter.keeps(name)),
      groupOf: filter.groupOf,
      get error() {
        return filter.error;
      },
    };
  } catch (error) {
    return { keeps: () => true, groupOf: () => null, error: reason(/** @type {Error} */ (error).message) };
  }
}

/** Each name is matched once: the match of an expression that the browser cannot match safely takes longer than the search for a
 * name. @param {import("./linear_regex.js").Match} match @returns {RegexFilter} */
function filterBy(match) {
  /** @type {Map<string, string | null>} */
  const groups = new Map();
  /** @type {string | null} */
  let failure = null;
  const find = (/** @type {string} */ name) => {
    const known = groups.get(name);
    if (known !== undefined) return known;
    const found = match(name);
    const group = found && (found[1] ?? found[0] ?? "");
    groups.set(name, group);
    return group;
  };
  const tryToFind = (/** @type {string} */ name) => {
    if (failure !== null) return undefined;
    try {
      return find(name);
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      failure = error.message;
      return undefined;
    }
  };
  return {
    keeps: (name) => tryToFind(name) !== null,
    groupOf: (name) => tryToFind(name) || null,
    get error() {
      return failure;
    },
  };
}

/** "Invalid regular expression: /a(/i: Unterminated group" -> "Unterminated group".
 * @param {string} message */
const reason = (message) => message.slice(message.lastIndexOf(": ") + 1).trim();
