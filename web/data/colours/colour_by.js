// What the runs are coloured by: each has a colour of its own, or one by its value of a parameter or metric.

import { computed } from "@preact/signals-core";
import { runNames, stableList } from "../runs/catalogue.js";
import { valuesOf } from "../runs/run_values.js";
import { set, setting } from "../view/view.js";
import { colourScale } from "./colour_scale.js";

/** The value; "" = each run has its own colour. */
export const colourBy = setting("runs.colour", /** @type {string} */ (""));
/** @param {import("../runs/run_values.js").ValueId} id "" = none */
export const setColourBy = (id) => set({ "runs.colour": id });

/** Of all runs, so that none gets another colour when others are hidden. */
const values = stableList(() => {
  if (!colourBy.value) return [];
  const of = valuesOf(colourBy.value);
  return runNames.value.map((run) => of(run));
});

/** The scale, and the colour of each run in start order; null while runs have their own colours. */
export const valueColours = computed(() => {
  if (!colourBy.value) return null;
  const scale = colourScale(values.value);
  return { scale, colours: values.value.map(scale.colourOf) };
});
