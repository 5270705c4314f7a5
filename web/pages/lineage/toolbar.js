// The toolbar of the lineage page: runs, their groups and colours, columns, target, and the button that shows the kept runs on all pages.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { colourLegend } from "../../controls/run_set/colour_menu.js";
import { groupLegend } from "../../controls/run_set/group_legend.js";
import { runSetBar } from "../../controls/run_set/run_set_bar.js";
import { searchField } from "../../controls/search/search_field.js";
import { runFilter, set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnSelect } from "./column_select.js";
import { part, scope, setTarget } from "./settings.js";
import { keptRows, listedRuns, rowCount, target, targets } from "./state.js";
import { showOnlyKept } from "./table_toolbar.js";
import { t } from "./words.js";

export const toolbar = () =>
  rowCount.value || runFilter.value || scope.value
    ? html`
  ${searchField("lineage-filter")}
  ${runSetBar("toolbar")}
  ${colourLegend()}
  ${choice(
    "scope",
    t("lineage.scope"),
    [
      ["", t("lineage.scope_all")],
      ["drawn", t("lineage.scope_visible"), t("lineage.scope_visible_hint")],
    ],
    scope.value,
    (value) => set({ "lineage.runs": value }),
  )}
  ${choice(
    "part",
    t("lineage.part"),
    [
      ["", t("lineage.part_model")],
      ["data", t("lineage.part_data"), t("lineage.part_data_hint")],
    ],
    part.value,
    (value) => set({ "lineage.part": value }),
  )}
  <span class="space"></span>
  ${targetField()}
  <button class="plain primary" data-key="draw-kept" title=${t("lineage.show_runs_hint")}
    ?disabled=${!keptRows.value.length}
    @click=${showOnlyKept}>${t("lineage.show_runs", { n: grouped(keptRows.value.length) })}</button>
  ${groupLegend(listedRuns.value)}`
    : nothing;

export const targetField = () =>
  targets.value.size
    ? html`<label class="grouper"><span>${t("lineage.target")}</span>${columnSelect(
        "target",
        t("lineage.target"),
        [...targets.value.values()],
        target.value?.id ?? "",
        setTarget,
      )}</label>`
    : nothing;
