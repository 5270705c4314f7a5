// Parallel coordinates: an axis for each column, and a line for each run.

import { html, nothing } from "lit-html";
import { guard } from "lit-html/directives/guard.js";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { choice } from "../../controls/choice.js";
import { runAxes } from "../../controls/run_plots/run_axes.js";
import { groupsOf } from "../../data/groups/run_groups.js";
import { language } from "../../i18n/language.js";
import { shortNumber } from "../../i18n/numbers.js";
import { axes, axesFrame, drawnAxes, shortNames } from "./axes.js";
import { axesWidth } from "./axes_room.js";
import { axis } from "./axis.js";
import { axesMenu } from "./column_menu.js";
import { LineageElement } from "./lineage_element.js";
import { shades } from "./run_colours.js";
import { brushes, clearBrushes, lineColour, setLineColour } from "./settings.js";
import { isLog, target } from "./state.js";
import { t } from "./words.js";

class LineageAxes extends LineageElement {
  /** @param {number} width */
  measure(width) {
    axesWidth.value = width;
  }

  begin() {
    return [this.followSize()];
  }

  template() {
    return html`
      <header>
        <h2>${t("lineage.axes_title")}</h2>
        ${legend()}
        <span class="space"></span>
        ${
          brushes.value.size
            ? html`<button class="text" data-key="clear-brushes"
              @click=${clearBrushes}>${t("lineage.clear_brushes", { n: brushes.value.size })}</button>`
            : nothing
        }
        ${choice(
          "lines",
          t("lineage.lines"),
          [
            ["target", t("lineage.by_target")],
            ["run", t(groupsOf.value ? "lineage.by_group" : "lineage.by_run")],
          ],
          lineColour.value,
          setLineColour,
        )}
        ${axesMenu()}
      </header>
      ${
        axes.value.length
          ? runAxes(
              t("lineage.axes_title"),
              drawnAxes.value,
              repeat(
                axes.value,
                ({ column }) => column.id,
                (scale, at) => guard(axisDependencies(scale, at), () => axis(scale, at)),
              ),
            )
          : html`<p class="hint">${t("lineage.no_axes")}</p>`
      }`;
  }
}

/** Everything that an axis depends on, so that brushing one does not render the others again.
 * @param {import("./axes.js").Scale} scale @param {number} at */
const axisDependencies = (scale, at) => [
  scale,
  at,
  brushes.value.get(scale.column.id),
  axesFrame.value,
  shortNames.value,
  target.value?.id === scale.column.id,
  language.value,
];

/** The legend of the line colours. */
function legend() {
  const column = target.value;
  if (lineColour.value === "run" || !column || !Number.isFinite(column.lo)) return nothing;
  return html`<span class="shades" data-target=${column.id}><b>${column.name}</b> ${shortNumber(column.lo, 4)}
    <i style=${styleMap({
      background: `linear-gradient(90deg, ${shades.value.join(",")})`,
    })}></i> ${shortNumber(column.hi, 4)}${isLog(column) ? " (log)" : ""}</span>`;
}

customElements.define("lineage-axes", LineageAxes);
