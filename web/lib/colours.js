// Which colour and dash a run has: given out in start order, kept for as long as the page lives.

/** `colour` is a place in the theme's palette, `dash` one of DASHES.
 * @typedef {{colour: number, dash: number}} LineStyle */

export const COLOURS = 12;

/** Dash patterns in CSS pixels: more runs than colours get dashes, not more hues. */
export const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 5], [1, 2]];

/** @param {number} order @returns {LineStyle} */
export const styleOf = (order) => ({ colour: order % COLOURS, dash: Math.floor(order / COLOURS) % DASHES.length });

/** Gives every run that has none the next style; nobody's style ever changes.
 * @param {Map<string, LineStyle>} given @param {string[]} runsInStartOrder */
export function giveStyles(given, runsInStartOrder) {
  for (const run of runsInStartOrder) if (!given.has(run)) given.set(run, styleOf(given.size));
  return given;
}
