// Colours and dashes of runs, groups and tags.

import { PALETTE } from "./palette.js";

/** `colour` is an index into the palette, extended by shades, the colour of missing values, and custom colours; `dash` is an index into DASHES.
 * @typedef {{colour: number, dash: number}} LineStyle */

export const COLOURS = PALETTE.length;
/** Shades of numbers follow the palette, in the order of the numbers. */
export const SHADES = 24;
/** The colour of runs without a value. */
export const NO_VALUE = COLOURS + SHADES;
export const FIRST_CUSTOM = NO_VALUE + 1;

/** Dash patterns in CSS pixels: more runs than colours get dashes, not more hues. */
export const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [12, 5], [1, 2]];

/** The style of a run, by its number from the server, or of the n-th group. @param {number} order @returns {LineStyle} */
export const styleOf = (order) => ({ colour: order % COLOURS, dash: Math.floor(order / COLOURS) % DASHES.length });

/** Returns the index of a colour in the palette, or -1.
 * @param {string} colour "#rrggbb" */
const inPalette = (colour) => PALETTE.indexOf(colour.toLowerCase());

/** Custom colours outside the palette, in the order in which they extend it.
 * @param {ReadonlyMap<string, string>} chosen "#rrggbb" by run */
export const coloursOutsidePalette = (chosen) =>
  [...new Set(chosen.values())].filter((colour) => inPalette(colour) < 0).sort();

/** Replaces the colours of runs by custom ones; a palette colour follows the theme.
 * @param {ReadonlyMap<string, LineStyle>} assigned @param {ReadonlyMap<string, string>} chosen "#rrggbb" by run
 * @returns {Map<string, LineStyle>} */
export function withCustomColours(assigned, chosen) {
  const custom = coloursOutsidePalette(chosen);
  const indexOf = (/** @type {string} */ colour) =>
    inPalette(colour) < 0 ? FIRST_CUSTOM + custom.indexOf(colour) : inPalette(colour);
  const colourOf = (/** @type {string} */ run, /** @type {LineStyle} */ style) =>
    chosen.has(run) ? indexOf(/** @type {string} */ (chosen.get(run))) : style.colour;
  return new Map([...assigned].map(([run, style]) => [run, { ...style, colour: colourOf(run, style) }]));
}
