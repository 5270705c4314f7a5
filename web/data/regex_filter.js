// A regular expression somebody is typing: it may be broken at any moment.

/** What a filter means: what it keeps, and why it is broken, if it is.
 * @typedef {{keeps: (name: string) => boolean, error: string | null}} Filter */

/** Matches anywhere, ignoring case. A broken expression keeps everything and says why it is broken.
 * @param {string} pattern @returns {Filter} */
export function filterOf(pattern) {
  if (!pattern) return { keeps: () => true, error: null };
  try {
    const expression = new RegExp(pattern, "i");
    return { keeps: (name) => expression.test(name), error: null };
  } catch (error) {
    return { keeps: () => true, error: reason(/** @type {Error} */ (error).message) };
  }
}

/** "Invalid regular expression: /a(/i: Unterminated group" -> "Unterminated group".
 * @param {string} message */
const reason = (message) => message.slice(message.lastIndexOf(": ") + 1).trim();
