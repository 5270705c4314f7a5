// Colours that users chose for runs: those that the palette does not have stand behind it in the style sheet, so that every swatch finds them.

import { computed, effect } from "@preact/signals-core";
import { notes } from "./notes.js";
import { COLOURS, othersOf } from "./run_styles.js";

/** Changes only with a colour, not with every note. */
const told = computed(() =>
  JSON.stringify(
    [...notes.value].flatMap(([run, { colour }]) => (/^#[0-9a-f]{6}$/i.test(colour ?? "") ? [[run, colour]] : [])),
  ),
);

/** "#rrggbb" by run. */
export const chosenColours = computed(() => /** @type {Map<string, string>} */ (new Map(JSON.parse(told.value))));

effect(() => {
  const { style } = document.documentElement;
  othersOf(chosenColours.value).forEach((colour, order) => style.setProperty(`--run-${COLOURS + order + 1}`, colour));
});
