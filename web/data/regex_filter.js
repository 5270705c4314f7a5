// Filters by a regular expression, which may be invalid while it is typed.

/** A parsed filter; `error` is the reason why it is invalid.
 * @typedef {{keeps: (name: string) => boolean, error: string | null}} RegexFilter */

/** Matches anywhere, ignoring case. An invalid expression keeps everything.
 * @param {string} pattern @returns {RegexFilter} */
export function regexFilter(pattern) {
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
