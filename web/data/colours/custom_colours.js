// Colours that users chose for runs. Those outside the palette extend it as CSS variables.

import { computed, effect } from "@preact/signals-core";
import { notes } from "../notes/notes.js";
import { coloursOutsidePalette, FIRST_CUSTOM } from "./run_styles.js";

/** Changes only with a colour, not with every note. */
const coloursAsJson = computed(() =>
  JSON.stringify(
    [...notes.value].flatMap(([run, { colour }]) => (/^#[0-9a-f]{6}$/i.test(colour ?? "") ? [[run, colour]] : [])),
  ),
);

/** "#rrggbb" by run. */
export const customColours = computed(
  () => /** @type {Map<string, string>} */ (new Map(JSON.parse(coloursAsJson.value))),
);

effect(() => {
  const { style } = document.documentElement;
  for (const [order, colour] of coloursOutsidePalette(customColours.value).entries())
    style.setProperty(`--run-${FIRST_CUSTOM + order + 1}`, colour);
});
