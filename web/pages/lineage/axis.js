// One of the parallel axes: title, ticks or categories, and brush.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { ICONS } from "../../controls/icons.js";
import { heightAt } from "../../controls/run_plots/parallel_axes.js";
import { axisLine, axisStyle, axisTicks, tickLabel } from "../../controls/run_plots/run_axes.js";
import { canBeLog, categoryPlace } from "../../controls/run_plots/scale.js";
import { shortNumber } from "../../i18n/numbers.js";
import { axesFrame, axisSpacing, removeAxis, shortNames } from "./axes.js";
import { brushedRange, dragAxis, dragBrush, onBrushEndKey, onTitleKey, togglePick } from "./axis_gestures.js";
import { PICK_MISSING, PICK_NON_FINITE, pickOf } from "./model/brush.js";
import { brushes, setBrush, toggleLog } from "./settings.js";
import { target } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/scale.js").Scale} Scale */

/** @param {Scale} scale @param {number} at its place among the axes */
export function axis(scale, at) {
  const { column, kind } = scale;
  const { id, name } = column;
  const { height, bottom } = axesFrame.value;
  const ownBrush = brushes.value.get(id);
  return html`
    <div class="axis ${target.value?.id === id ? "target" : ""} ${ownBrush ? "brushed" : ""}"
      style=${axisStyle(axisSpacing.value, at)}
      role="group" aria-label=${name} data-axis=${id} data-kind=${kind} data-lo=${column.lo} data-hi=${column.hi}>
      <div class="axis-head">
        <button class="axis-name" title=${`${name}\n${t(`lineage.group_${column.section}`)}\n${t("lineage.axis_hint")}`}
          @pointerdown=${(/** @type {PointerEvent} */ event) => dragAxis(event, id)}
          @keydown=${(/** @type {KeyboardEvent} */ event) => onTitleKey(event, id)}>${shortNames.value.get(name) ?? name}</button>
        <button class="axis-remove" data-key="remove" title=${t("lineage.remove_axis")}
          aria-label=${`${t("lineage.remove_axis")}: ${name}`} @click=${() => removeAxis(id)}>${ICONS.close}</button>
      </div>
      <div class="axis-body" style=${styleMap({ height: `${height}px` })}
        @pointerdown=${(/** @type {PointerEvent} */ event) => dragBrush(event, scale)}
        @dblclick=${() => setBrush(id, null)}>
        ${axisLine(axesFrame.value)}
        ${kind === "category" ? categories(scale, ownBrush) : numbers(scale)}
        ${
          canBeLog(column)
            ? html`<button class="axis-scale" data-key="log" style=${styleMap({ top: `${bottom}px` })}
              aria-pressed=${kind === "log"} title=${t("lineage.log")} aria-label=${`${t("lineage.log")}: ${name}`}
              @click=${() => toggleLog(id)}>${t("lineage.log_short")}</button>`
            : nothing
        }
        ${
          column.hasNonFinite
            ? missingLane(id, axesFrame.value.nonFinite, PICK_NON_FINITE, "NaN ±∞", t("lineage.non_finite"), ownBrush)
            : nothing
        }
        ${
          column.hasMissing
            ? missingLane(
                id,
                axesFrame.value.missing,
                PICK_MISSING,
                t("lineage.missing_lane"),
                t("lineage.missing"),
                ownBrush,
              )
            : nothing
        }
      </div>
    </div>`;
}

/** @param {Scale} scale */
function numbers(scale) {
  const { top, bottom } = axesFrame.value;
  const range = brushedRange(scale);
  const brushed =
    range &&
    html`<i class="brush"
      style=${styleMap({
        top: `${heightAt(range[1], axesFrame.value)}px`,
        height: `${Math.max(2, (range[1] - range[0]) * (bottom - top))}px`,
      })}></i>`;
  return html`
    ${axisTicks(scale, axesFrame.value).map((tick) => tickLabel(tick, axesFrame.value))}
    ${brushed ?? nothing}
    ${Number.isFinite(scale.column.lo) ? [brushEnd(scale, "lo", range), brushEnd(scale, "hi", range)] : nothing}`;
}

/** @param {Scale} scale @param {"lo" | "hi"} which @param {[number, number] | null} range */
function brushEnd(scale, which, range) {
  const { column } = scale;
  const place = range ? range[which === "lo" ? 0 : 1] : which === "lo" ? 0 : 1;
  const ownBrush = brushes.value.get(column.id);
  const endValue = ownBrush && !ownBrush.picks && Number.isFinite(ownBrush[which]) ? ownBrush[which] : column[which];
  return html`<span class="brush-end ${range ? "on" : ""}" role="slider" tabindex="0" data-end=${which}
    aria-orientation="vertical" aria-label=${t(`lineage.brush_${which}`, { name: column.name })}
    aria-valuemin=${column.lo} aria-valuemax=${column.hi}
    aria-valuenow=${Math.max(column.lo, Math.min(column.hi, endValue))} aria-valuetext=${shortNumber(endValue, 6)}
    style=${styleMap({ top: `${heightAt(place, axesFrame.value)}px` })}
    @keydown=${(/** @type {KeyboardEvent} */ event) => onBrushEndKey(event, scale, which)}>${
      range ? html`<b>${shortNumber(endValue, 3)}</b>` : nothing
    }</span>`;
}

/** @param {Scale} scale @param {import("./model/brush.js").Brush | undefined} ownBrush */
function categories(scale, ownBrush) {
  const { column } = scale;
  const all = column.categories;
  const { top, bottom } = axesFrame.value;
  const labels = new Set(axisTicks(scale, axesFrame.value).map(({ text }) => text));
  const thickness = Math.max(2, Math.min(14, (bottom - top) / all.length - 1));
  return repeat(
    all,
    (text) => text,
    (text, at) => {
      const isPicked = ownBrush?.picks?.has(pickOf(text)) ?? false;
      if (!isPicked && !labels.has(text)) return nothing;
      const style = styleMap({
        top: `${heightAt(categoryPlace(at, all.length), axesFrame.value)}px`,
        "--thick": `${thickness}px`,
      });
      if (!labels.has(text)) return html`<i class="brush one" style=${style} data-picked=${text}></i>`;
      return html`<button class="pick" style=${style} aria-pressed=${isPicked} title=${text} data-pick=${text}
        @click=${() => togglePick(column.id, pickOf(text))}><i></i><span>${text === "" ? "“”" : text}</span></button>`;
    },
  );
}

/**
 * @param {string} id @param {number} top @param {string} pick @param {string} text @param {string} label
 * @param {import("./model/brush.js").Brush | undefined} ownBrush
 */
const missingLane = (id, top, pick, text, label, ownBrush) => html`
  <button class="pick lane" style=${styleMap({ top: `${top}px` })} aria-pressed=${ownBrush?.picks?.has(pick) ?? false}
    title=${label} data-pick-lane=${pick}
    @click=${() => togglePick(id, pick)}><i></i><span>${text}</span></button>`;
