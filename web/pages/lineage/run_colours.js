// What colours the runs: the target from dark to light, or the colours that runs have everywhere.

import { computed } from "@preact/signals-core";
import { viridis } from "../../charts/rgb.js";
import { tokens } from "../../charts/theme.js";
import { customColours } from "../../data/custom_colours.js";
import { COLOURS } from "../../data/run_styles.js";
import { styles } from "../../data/runs.js";
import { theme } from "../../data/view.js";
import { scaleFor, sources, target } from "./rows.js";
import { lineInk } from "./settings.js";

/** @typedef {import("./model/columns.js").Column} Column */

/** Colours, and the place among them of every row. @typedef {{css: string[], of: Uint8Array}} Inks */

const SHADES = 24;

/** @param {import("../../charts/rgb.js").Rgb} rgb "#rrggbb" */
const hexOf = (rgb) => `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** The part of viridis that stands out from the ground of a theme, from the least value to the largest. */
export const shades = computed(() => {
  const [from, to] = theme.value === "dark" ? [0.22, 1] : [0, 0.9];
  return Array.from({ length: SHADES }, (_, at) => hexOf(viridis(from + ((to - from) * at) / (SHADES - 1))));
});

/** Behind the shades: the colour of what has no value. @param {Column | undefined} column @returns {Inks} */
export function inksOf(column) {
  const css = [...shades.value, tokens().label];
  const of = new Uint8Array(sources.value.length).fill(SHADES);
  if (!column) return { css, of };
  const { categories } = column;
  if (categories.length && categories.length <= COLOURS) return categoryInks(column);
  const { places } = scaleFor(column);
  for (let row = 0; row < of.length; row++)
    if (places[row] >= 0) of[row] = Math.min(SHADES - 1, Math.floor(places[row] * SHADES));
  return { css, of };
}

/** @param {Column} column @returns {Inks} */
function categoryInks({ values, categories }) {
  const { palette, label } = tokens();
  const order = new Map(categories.map((category, at) => [category, at]));
  return {
    css: [...palette.slice(0, COLOURS), label],
    of: Uint8Array.from(values, (value) => (value === null ? COLOURS : (order.get(String(value)) ?? COLOURS))),
  };
}

/** The colours of the lines. */
export const lineInks = computed(() => (lineInk.value ? runInks() : inksOf(target.value)));

/** @returns {Inks} */
function runInks() {
  customColours.value; // The palette goes on with what users chose.
  theme.value;
  return { css: tokens().palette, of: Uint8Array.from(sources.value, ({ run }) => styles.value.get(run)?.colour ?? 0) };
}
