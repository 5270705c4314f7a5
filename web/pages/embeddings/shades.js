// The colours of points in the theme of the page.

import { mix, rgbOf } from "../../charts/rgb.js";
import { tokens } from "../../charts/theme.js";
import { COLOURS } from "../../data/colours/run_styles.js";

/** How much of the background a faint point has. */
const FADED = 0.35;

/** @returns {import("./model/colouring.js").Shades} */
export function shadesOfTheme() {
  const { palette, surface, context } = tokens();
  const categories = palette.slice(0, COLOURS).map(rgbOf);
  return {
    categories,
    plain: categories[0],
    none: rgbOf(context),
    faint: mix(rgbOf(context), rgbOf(surface), FADED),
  };
}
