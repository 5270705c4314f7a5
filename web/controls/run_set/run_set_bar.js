// The bar for the set of runs, the same on every page: what they are coloured by.

import { html } from "lit-html";
import { colourBy } from "../../data/colour_by.js";
import { followRunValues } from "../../data/run_values.js";
import { colourMenu } from "./colour_menu.js";
import { openMenu } from "./value_menu.js";

/** @param {"rail" | "toolbar"} place */
export const runSetBar = (place) => html`<div class="run-set">${colourMenu(place)}</div>`;

/** Fetches the values that the bar needs until the returned function is called. */
export const followRunSet = () =>
  followRunValues(
    () => [colourBy.value].filter(Boolean),
    () => openMenu.value !== "",
  );
