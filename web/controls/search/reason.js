// The server's reasons why a search is invalid, in the language of the page.

import { t } from "./words.js";

/** @typedef {import("./words.js").TextKey} TextKey */
/** Messages of the server, whose groups fill the text. @typedef {readonly (readonly [message: RegExp, text: TextKey])[]} Texts */

/** @type {Texts} */
const REASONS = [
  [/^expected (?<what>.+) at character (?<at>\d+), found (?<found>.+)$/s, "search.expected"],
  [/^(?<name>.+) at character (?<at>\d+) is not a function: expected (?<names>.+), or quotes/s, "search.no_function"],
  [/^the quote at character (?<at>\d+) is not closed$/, "search.open_quote"],
  [/^the search has (?<n>\d+) characters: expected at most (?<most>\d+)$/, "search.too_long"],
  [/^the search is nested deeper than (?<most>\d+) levels$/, "search.too_deep"],
  [/^the search has more than (?<most>\d+) terms$/, "search.too_many"],
  [/^the search has more than (?<most>\d+) regular expressions$/, "search.too_many_regex"],
  [/^the pattern is not a valid regular expression: (?<problem>.+)$/s, "search.no_regex"],
  [/^the pattern takes longer than (?<most>\d+) s for (?<n>\d+) names: use a simpler one$/, "search.slow_regex"],
  [/^(?<condition>.+): expected (?<what>.+)$/s, "search.expected_value"],
];

/** What was expected, and what was found.
 * @type {Texts} */
const PARTS = [
  [/^a term$/, "search.a_term"],
  [/^a term on both sides of (?<word>OR|AND)$/, "search.a_term_beside"],
  [/^a term right after '-'$/, "search.a_term_after"],
  [/^a term in the parentheses$/, "search.a_term_in"],
  [/^a comparison after (?<name>.+)$/s, "search.a_comparison"],
  [/^a value after (?<name>.+)$/s, "search.a_value"],
  [/^a name in the parentheses of (?<name>.+)$/s, "search.a_name"],
  [/^a number$/, "search.a_number"],
  [/^a date or time such as (?<one>.+) or (?<other>.+)$/, "search.a_time"],
  [/^a duration such as (?<some>.+) or (?<other>.+)$/, "search.a_duration"],
  [/^one of (?<names>.+)$/, "search.one_of"],
  [/^':', '=' or '!='$/, "search.an_equation"],
  [/^the end of the search$/, "search.the_end"],
];

/** @param {string} message of the server; one that is not known is shown as it is */
export const reasonOf = (message) => translated(message, REASONS);

/** @param {string} message @param {Texts} texts @returns {string} */
function translated(message, texts) {
  for (const [pattern, text] of texts) {
    const match = pattern.exec(message);
    if (!match) continue;
    const { what, found, ...values } = match.groups ?? {};
    return t(text, {
      ...values,
      ...(what && { what: translated(what, PARTS) }),
      ...(found && { found: translated(found, PARTS) }),
    });
  }
  return message;
}
