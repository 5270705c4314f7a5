// The bar for the set of runs, the same on every page: how they are grouped, coloured and sorted.

import { html } from "lit-html";
import { colourBy } from "../../data/colour_by.js";
import { followImportance } from "../../data/parameter_importance.js";
import { groupValues } from "../../data/run_groups.js";
import { sortValues } from "../../data/run_sort.js";
import { followRunValues, parameters } from "../../data/run_values.js";
import { stopAll } from "../../data/stop_all.js";
import { colourMenu } from "./colour_menu.js";
import { groupMenu } from "./group_menu.js";
import { sortMenu } from "./sort_menu.js";
import { openMenu } from "./value_menu.js";

/** @param {"rail" | "toolbar"} place pages may have one in the run list and one in the toolbar */
export const runSetBar = (place) =>
  html`<div class="run-set">${groupMenu(place)}${colourMenu(place)}${sortMenu(place)}</div>`;

/** Fetches the values that the bar needs until the returned function is called. */
export const followRunSet = () =>
  stopAll([
    followRunValues(
      () => [colourBy.value, ...groupValues.value, ...sortValues.value],
      () => openMenu.value !== "",
    ),
    followImportance(
      () => openMenu.value.startsWith("group-by") && parameters.value.filter(({ values }) => values > 1).length > 1,
    ),
  ]);
