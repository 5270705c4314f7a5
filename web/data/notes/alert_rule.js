// A rule of alerts that is made from a chart, in the language of the server's rules.

/** Tags that need no backquotes in an expression ... */
const PLAIN = /^[a-z_][\w./:-]*$/i;
/** ... unless they mean something else there. */
const RESERVED = new Set(["started", "updated", "duration", "step", "attempts", "ranks"]);
const NUMBERS = new Set(["nan", "inf", "infinity"]);

/** @param {string} tag */
const inExpression = (tag) =>
  PLAIN.test(tag) && !RESERVED.has(tag) && !NUMBERS.has(tag.toLowerCase()) ? tag : `\`${tag.replaceAll("`", "``")}\``;

/** The beginning of every condition about a tag on one side. @param {string} tag @param {boolean} above */
const sideOf = (tag, above) => `${inExpression(tag)} ${above ? ">" : "<"} `;

/** @param {string} tag @param {boolean} above @param {number} value */
export const conditionOf = (tag, above, value) => `${sideOf(tag, above)}${value}`;

/** What a rule says in one line: its condition, and its search, if it has one. @param {{when: string, runs: string}} rule */
export const textOf = ({ when, runs }) => (runs ? `${when} · ${runs}` : when);

/** Is a condition the comparison of a tag with a number, as conditionOf makes it? @param {string} when
 * @param {string} tag */
export const isAbout = (when, tag) =>
  [true, false].some((above) => {
    const side = sideOf(tag, above);
    return when.startsWith(side) && Number.isFinite(Number(when.slice(side.length)));
  });
