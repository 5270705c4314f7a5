// The bar for the set of runs, the same on every page: how they are grouped, coloured and sorted.

import { html, nothing } from "lit-html";
import { stopAll } from "../../data/client/stop_all.js";
import { colourBy } from "../../data/colours/colour_by.js";
import { groupValues } from "../../data/groups/run_groups.js";
import { followImportance } from "../../data/kinds/parameter_importance.js";
import { baseline, setBaseline } from "../../data/runs/baseline.js";
import { chosenValues } from "../../data/runs/rail_values.js";
import { sortValues } from "../../data/runs/run_sort.js";
import { followRunValues, parameters } from "../../data/runs/run_values.js";
import { ICONS } from "../icons.js";
import { shortNameOf, titleOf } from "../run_name.js";
import { colourMenu } from "./colour_menu.js";
import { groupMenu } from "./group_menu.js";
import { sortMenu } from "./sort_menu.js";
import { valueColumnsMenu } from "./value_columns_menu.js";
import { openMenu } from "./value_menu.js";
import { t } from "./words.js";

/** @param {"rail" | "toolbar"} place pages may have one in the run list and one in the toolbar */
export const runSetBar = (place) =>
  html`<div class="run-set">${groupMenu(place)}${colourMenu(place)}${sortMenu(place)}${
    place === "rail" ? valueColumnsMenu() : nothing
  }${baseline.value ? baselineChip(baseline.value) : nothing}</div>`;

/** @param {string} run */
const baselineChip = (run) => html`<button type="button" class="run-set-button" data-key="no-baseline"
  title=${`${t("run_set.baseline")}: ${titleOf(run)}\n${t("run_set.no_baseline")}`} @click=${() => setBaseline("")}>
  <span>${t("run_set.baseline")}</span><b>${shortNameOf(run)}</b>${ICONS.close}</button>`;

/** Fetches the values that the bar needs until the returned function is called. */
export const followRunSet = () =>
  stopAll([
    followRunValues(
      () => [colourBy.value, ...groupValues.value, ...sortValues.value, ...chosenValues.value],
      () => openMenu.value !== "",
    ),
    followImportance(
      () => openMenu.value.startsWith("group-by") && parameters.value.filter(({ values }) => values > 1).length > 1,
    ),
  ]);
