// The colours of the runs: by target from dark to light, or those of the runs or of their groups.

import { computed } from "@preact/signals-core";
import { tokens } from "../../charts/theme.js";
import { customColours } from "../../data/colours/custom_colours.js";
import { COLOURS, NO_VALUE, SHADES } from "../../data/colours/run_styles.js";
import { groupsOf, runGroups } from "../../data/groups/run_groups.js";
import { styles } from "../../data/runs/runs.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { theme } from "../../data/view/view.js";
import { lineColour } from "./settings.js";
import { scaleFor, sources, target } from "./state.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

/** Colours, and the index of each row's colour. @typedef {{css: string[], byRow: Uint8Array}} RowColours */

/** From the smallest value to the largest. */
export const shades = computed(() => {
  theme.value;
  return tokens().palette.slice(COLOURS, NO_VALUE);
});

/**
 * Shades by value, followed by the colour of missing values.
 * @param {Column | undefined} column @returns {RowColours}
 */
export function columnColours(column) {
  const css = [...shades.value, tokens().label];
  const byRow = new Uint8Array(sources.value.length).fill(SHADES);
  if (!column) return { css, byRow };
  const { categories } = column;
  if (categories.length && categories.length <= COLOURS) return categoryColours(column);
  const { places } = scaleFor(column);
  for (let row = 0; row < byRow.length; row++)
    if (places[row] >= 0) byRow[row] = Math.min(SHADES - 1, Math.floor(places[row] * SHADES));
  return { css, byRow };
}

/** @param {Column} column @returns {RowColours} */
function categoryColours({ values, categories }) {
  const { palette, label } = tokens();
  const order = new Map(categories.toSorted(compareNatural).map((category, at) => [category, at]));
  return {
    css: [...palette.slice(0, COLOURS), label],
    byRow: Uint8Array.from(values, (value) => (value === null ? COLOURS : (order.get(String(value)) ?? COLOURS))),
  };
}

/** The colours of the lines. */
export const lineColours = computed(() => (lineColour.value === "run" ? runColours() : columnColours(target.value)));

/** @returns {RowColours} */
function runColours() {
  customColours.value; // The palette includes colours that users chose.
  theme.value;
  const styleOf = styleOfRow.value;
  return { css: tokens().palette, byRow: Uint8Array.from(sources.value, ({ run }) => styleOf(run).colour) };
}

const WITHOUT_GROUP = { colour: NO_VALUE, dash: 0 };
/** Returns the style of a run, or of its first group while runs are grouped. */
export const styleOfRow = computed(() => {
  const [groups, groupNames, own] = [runGroups.value, groupsOf.value, styles.value];
  if (groups && groupNames)
    return (/** @type {string} */ run) => groups.get(groupNames(run)[0])?.style ?? WITHOUT_GROUP;
  return (/** @type {string} */ run) => own.get(run) ?? { colour: 0, dash: 0 };
});
