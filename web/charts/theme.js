// The theme's colours as the canvas needs them, read from the style sheet when something is drawn.

import { chosenColours } from "../data/chosen_colours.js";
import { COLOURS, DASHES, othersOf } from "../data/run_styles.js";

/** `palette` goes on with the colours that users chose and it does not have.
 * @typedef {{palette: string[], surface: string, grid: string, text: string, label: string, damage: string, warning: string}} Tokens */

/** @type {{theme: string, chosen: ReadonlyMap<string, string>, tokens: Tokens} | null} */
let known = null;

/** @returns {Tokens} */
export function tokens() {
  const theme = document.documentElement.dataset.theme ?? "light";
  const chosen = chosenColours.peek();
  if (known?.theme !== theme || known.chosen !== chosen) known = { theme, chosen, tokens: readTokens(chosen) };
  return known.tokens;
}

/** @param {ReadonlyMap<string, string>} chosen @returns {Tokens} */
function readTokens(chosen) {
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    palette: [...Array.from({ length: COLOURS }, (_, place) => token(`--run-${place + 1}`)), ...othersOf(chosen)],
    surface: token("--surface"),
    grid: token("--grid"),
    text: token("--text"),
    label: token("--text-3"),
    damage: token("--damage"),
    warning: token("--warning"),
  };
}

/** @param {import("../data/run_styles.js").LineStyle} style @param {number} pixelRatio */
export const dashOf = (style, pixelRatio) => DASHES[style.dash].map((length) => length * pixelRatio);
