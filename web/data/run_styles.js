// Which colour and dash a run has: given out in start order, kept for as long as the page lives.

import { PALETTE } from "./palette.js";

/** `colour` is a place in the theme's palette, behind it those that a user chose; `dash` is one of DASHES.
 * @typedef {{colour: number, dash: number}} LineStyle */

export const COLOURS = PALETTE.length;

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

/** The place in the palette of the colour that a note holds; -1 when it is none of the palette's.
 * @param {string} colour "#rrggbb" */
const inPalette = (colour) => PALETTE.indexOf(colour.toLowerCase());

/** Chosen colours that the palette does not have, in the order in which they stand behind it.
 * @param {ReadonlyMap<string, string>} chosen "#rrggbb" by run */
export const othersOf = (chosen) => [...new Set(chosen.values())].filter((colour) => inPalette(colour) < 0).sort();

/** Styles with the colours a user chose instead of those that were given out. One of the palette is drawn as the theme has it.
 * @param {ReadonlyMap<string, LineStyle>} given @param {ReadonlyMap<string, string>} chosen "#rrggbb" by run @returns {Map<string, LineStyle>} */
export function recoloured(given, chosen) {
  const others = othersOf(chosen);
  const placeOf = (/** @type {string} */ colour) =>
    inPalette(colour) < 0 ? COLOURS + others.indexOf(colour) : inPalette(colour);
  const colourOf = (/** @type {string} */ run, /** @type {LineStyle} */ style) =>
    chosen.has(run) ? placeOf(/** @type {string} */ (chosen.get(run))) : style.colour;
  return new Map([...given].map(([run, style]) => [run, { ...style, colour: colourOf(run, style) }]));
}
