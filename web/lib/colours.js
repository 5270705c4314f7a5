// Which colour and dash a run has: given out in start order, kept for as long as the page lives.

/** `colour` is a place in the theme's palette, behind it those that a user chose; `dash` is one of DASHES.
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

/** Styles with the colours a user chose instead of those that were given out.
 * @param {ReadonlyMap<string, LineStyle>} given @param {ReadonlyMap<string, string>} chosen "#rrggbb" by run @returns {Map<string, LineStyle>} */
export function recoloured(given, chosen) {
  const places = placesOf(chosen);
  return new Map([...given].map(([run, style]) => [run, { ...style, colour: places.get(chosen.get(run) ?? "") ?? style.colour }]));
}

/** The place of each chosen colour, behind those of the palette.
 * @param {ReadonlyMap<string, string>} chosen by run @returns {Map<string, number>} by colour */
export const placesOf = (chosen) => new Map([...new Set(chosen.values())].sort().map((colour, order) => [colour, COLOURS + order]));
