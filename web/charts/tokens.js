// The theme's colours as the canvas needs them, read from the style sheet when something is drawn.

import { COLOURS, DASHES } from "../lib/colours.js";

/** @typedef {{palette: string[], surface: string, grid: string, label: string, damage: string}} Tokens */

/** @type {{theme: string, tokens: Tokens} | null} */
let known = null;

/** @returns {Tokens} */
export function tokens() {
  const theme = document.documentElement.dataset.theme ?? "light";
  if (known?.theme !== theme) known = { theme, tokens: readTokens() };
  return known.tokens;
}

/** @returns {Tokens} */
function readTokens() {
  const style = getComputedStyle(document.documentElement);
  const token = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    palette: Array.from({ length: COLOURS }, (_, place) => token(`--run-${place + 1}`)),
    surface: token("--surface"),
    grid: token("--grid"),
    label: token("--text-3"),
    damage: token("--damage"),
  };
}

/** @param {import("../lib/colours.js").LineStyle} style @param {number} pixelRatio */
export const dashOf = (style, pixelRatio) => DASHES[style.dash].map((length) => length * pixelRatio);
