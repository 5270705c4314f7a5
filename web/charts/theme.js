// The theme's colours for canvases, read from the style sheet when something is drawn.

import { customColours } from "../data/colours/custom_colours.js";
import { coloursOutsidePalette, DASHES, FIRST_CUSTOM } from "../data/colours/run_styles.js";

/** `palette` is extended by shades, the colour of missing values, and the custom colours outside it.
 * @typedef
 * {{palette: string[], surface: string, grid: string, context: string, text: string, label: string, faint: string, accent: string, damage: string, warning: string}}
 * Tokens */

/** @type {{theme: string, chosen: ReadonlyMap<string, string>, tokens: Tokens} | null} */
let cached = null;

/** @returns {Tokens} */
export function tokens() {
  const theme = document.documentElement.dataset.theme ?? "light";
  const chosen = customColours.peek();
  if (cached?.theme !== theme || cached.chosen !== chosen) cached = { theme, chosen, tokens: readTokens(chosen) };
  return cached.tokens;
}

/** @param {ReadonlyMap<string, string>} chosen @returns {Tokens} */
function readTokens(chosen) {
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    palette: [
      ...Array.from({ length: FIRST_CUSTOM }, (_, place) => token(`--run-${place + 1}`)),
      ...coloursOutsidePalette(chosen),
    ],
    surface: token("--surface"),
    grid: token("--grid"),
    context: token("--context"),
    text: token("--text"),
    label: token("--text-3"),
    faint: token("--line-strong"),
    accent: token("--accent"),
    damage: token("--damage"),
    warning: token("--warning"),
  };
}

/** The colour of a line where it is highlighted; a baseline has none of its own.
 * @param {import("./plot.js").Line} line */
export const ownColourOf = ({ style, isBaseline }) => (isBaseline ? tokens().label : tokens().palette[style.colour]);

/** @param {import("./plot.js").Line} line */
export const colourOf = (line) => (line.isContext ? tokens().context : ownColourOf(line));

/** @param {import("../data/colours/run_styles.js").LineStyle} style @param {number} pixelRatio */
export const dashOf = (style, pixelRatio) => DASHES[style.dash].map((length) => length * pixelRatio);
