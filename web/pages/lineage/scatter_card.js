// A scatter plot of two columns with a point for each run, and a third column as colour or size.

import { computed } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { correlation } from "../../controls/run_plots/columns.js";
import { set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { columnSelect } from "./column_select.js";
import { LineageElement } from "./lineage_element.js";
import { columnColours, lineColours } from "./run_colours.js";
import { thirdEncoding } from "./settings.js";
import { columns, keptRows, runs, scaleFor, scatterColumns, visibleRows } from "./state.js";
import { t } from "./words.js";
import "../../controls/run_plots/run_scatter.js";

/** @typedef {import("../../controls/run_plots/scatter_plot.js").Scatter} Scatter */

/** @type {import("@preact/signals-core").ReadonlySignal<Scatter | null>} */
const scatter = computed(() => {
  const { x, y, third } = scatterColumns.value;
  if (!x || !y) return null;
  const isSize = thirdEncoding.value === "size" && third?.isNumber;
  return {
    x: scaleFor(x),
    y: scaleFor(y),
    rows: visibleRows.value,
    kept: keptRows.value,
    colours: third && !isSize ? columnColours(third) : lineColours.value,
    sizes: isSize && third ? scaleFor(third).places : null,
    runs: runs.value,
  };
});

class LineageScatter extends LineageElement {
  template() {
    const { x, y, third } = scatterColumns.value;
    const correlated = x && y ? correlation(x, y, keptRows.value) : null;
    return html`
      <header><h2>${t("lineage.scatter")}</h2>
        ${
          correlated && !Number.isNaN(correlated.r)
            ? html`<span class="meta" data-r=${correlated.r}
              title=${t("lineage.pearson")}>r = ${correlated.r.toFixed(3)}</span>`
            : nothing
        }</header>
      <div class="scatter-choices">
        <label>y ${columnSelect("y", t("lineage.scatter_y"), [...columns.value.values()], y?.id ?? "", (id) =>
          set({ "lineage.y": id }),
        )}</label>
        <label>x ${columnSelect("x", t("lineage.scatter_x"), [...columns.value.values()], x?.id ?? "", (id) =>
          set({ "lineage.x": id }),
        )}</label>
        <label>${choice(
          "third",
          t("lineage.third"),
          [
            ["", t("lineage.third_colour")],
            ["size", t("lineage.third_size")],
          ],
          thirdEncoding.value,
          (value) => set({ "lineage.third": value }),
        )}
          ${columnSelect(
            "colour",
            t("lineage.third"),
            [...columns.value.values()],
            third?.id ?? "",
            (id) => set({ "lineage.colour": id }),
            t("lineage.same_as_lines"),
          )}</label>
      </div>
      ${
        x && y
          ? html`<run-scatter role="img" .scatter=${scatter.value}
            aria-label=${t("lineage.scatter_of", { x: x.name, y: y.name, n: grouped(correlated?.count ?? 0) })}></run-scatter>`
          : html`<p class="hint">${t("lineage.no_axes")}</p>`
      }`;
  }
}

customElements.define("lineage-scatter", LineageScatter);
