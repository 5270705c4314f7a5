// The settings of the lineage page: which runs, which part, the target; and what to do with the runs that are left.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { filterField } from "../../controls/filter_field.js";
import { runRule } from "../../data/runs.js";
import { change, runFilter, set } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnSelect } from "./column_select.js";
import { keptRows, rowCount, target, targets } from "./rows.js";
import { part, scope, setTarget } from "./settings.js";
import { drawKept } from "./table_bar.js";
import { t } from "./words.js";

export const toolbar = () =>
  rowCount.value || runFilter.value || scope.value
    ? html`
  ${filterField({ id: "lineage-filter", label: t("rail.filter"), pattern: runFilter.value, rule: runRule.value, changed: (runs) => change({ runs }) })}
  ${choice(
    "scope",
    t("lineage.scope"),
    [
      ["", t("lineage.scope_all")],
      ["drawn", t("lineage.scope_drawn"), t("lineage.scope_drawn_hint")],
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
  ${targets.value.size ? html`<label class="grouper"><span>${t("lineage.target")}</span>${columnSelect("target", t("lineage.target"), [...targets.value.values()], target.value?.id ?? "", setTarget)}</label>` : nothing}
  <button class="plain primary" data-key="draw-kept" title=${t("lineage.draw_hint")} ?disabled=${!keptRows.value.length} @click=${drawKept}>${t("lineage.draw", { n: grouped(keptRows.value.length) })}</button>`
    : nothing;
