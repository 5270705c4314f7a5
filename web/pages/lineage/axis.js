// One of the parallel axes: its title, ticks or categories, what is brushed.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { styleMap } from "lit-html/directives/style-map.js";
import { ICONS } from "../../controls/icons.js";
import { shortNumber } from "../../i18n/numbers.js";
import { BEFORE, frame, removeAxis, spacing } from "./axes.js";
import { coveredBy, dragAxis, dragBrush, pressedOnEnd, pressedOnTitle, togglePick } from "./axis_drag.js";
import { heightAt } from "./draw/parallel_axes.js";
import { PICK_MISSING, PICK_NON_FINITE, pickOf } from "./model/brush.js";
import { canBeLog, categoryPlace, ticksOf } from "./model/scale.js";
import { target } from "./rows.js";
import { brush, brushes, turnLog } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("./model/scale.js").Scale} Scale */

/** Pixels between two labels. */
const LABEL = 17;

/** @param {Scale} scale @param {number} at its place among the axes */
export function axis(scale, at) {
  const { column, kind } = scale;
  const { id, name } = column;
  const { height, top, bottom } = frame.value;
  const own = brushes.value.get(id);
  return html`
    <div class="axis ${target.value?.id === id ? "target" : ""} ${own ? "brushed" : ""}" style=${styleMap({ left: `${BEFORE + at * spacing.value}px`, "--spacing": `${spacing.value}px` })}
      role="group" aria-label=${name} data-axis=${id} data-kind=${kind} data-lo=${column.lo} data-hi=${column.hi}>
      <div class="axis-head">
        <button class="axis-name" title=${`${name}\n${t(`lineage.group_${column.section}`)}\n${t("lineage.axis_hint")}`}
          @pointerdown=${(/** @type {PointerEvent} */ event) => dragAxis(event, id)} @keydown=${(/** @type {KeyboardEvent} */ event) => pressedOnTitle(event, id)}>${name}</button>
        <button class="axis-remove" data-key="remove" title=${t("lineage.remove_axis")} aria-label=${`${t("lineage.remove_axis")}: ${name}`} @click=${() => removeAxis(id)}>${ICONS.close}</button>
      </div>
      <div class="axis-body" style=${styleMap({ height: `${height}px` })} @pointerdown=${(/** @type {PointerEvent} */ event) => dragBrush(event, scale)} @dblclick=${() => brush(id, null)}>
        <i class="axis-line" style=${styleMap({ top: `${top}px`, height: `${bottom - top}px` })}></i>
        ${kind === "category" ? categories(scale, own) : numbers(scale)}
        ${canBeLog(column) ? html`<button class="axis-scale" data-key="log" style=${styleMap({ top: `${bottom}px` })} aria-pressed=${kind === "log"} title=${t("lineage.log")} aria-label=${`${t("lineage.log")}: ${name}`} @click=${() => turnLog(id)}>log</button>` : nothing}
        ${column.hasNonFinite ? lane(id, frame.value.nonFinite, PICK_NON_FINITE, "NaN ±∞", t("lineage.non_finite"), own) : nothing}
        ${column.hasMissing ? lane(id, frame.value.missing, PICK_MISSING, t("lineage.missing_lane"), t("lineage.missing"), own) : nothing}
      </div>
    </div>`;
}

/** @param {Scale} scale */
function numbers(scale) {
  const { top, bottom } = frame.value;
  const covered = coveredBy(scale);
  const brushed =
    covered &&
    html`<i class="brush" style=${styleMap({ top: `${heightAt(covered[1], frame.value)}px`, height: `${Math.max(2, (covered[1] - covered[0]) * (bottom - top))}px` })}></i>`;
  return html`
    ${ticksOf(scale, (bottom - top) / (2 * LABEL)).map(({ place, text }) => html`<span class="tick" style=${styleMap({ top: `${heightAt(place, frame.value)}px` })}>${text}</span>`)}
    ${brushed ?? nothing}
    ${Number.isFinite(scale.column.lo) ? [end(scale, "lo", covered), end(scale, "hi", covered)] : nothing}`;
}

/** @param {Scale} scale @param {"lo" | "hi"} which @param {[number, number] | null} covered */
function end(scale, which, covered) {
  const { column } = scale;
  const place = covered ? covered[which === "lo" ? 0 : 1] : which === "lo" ? 0 : 1;
  const own = brushes.value.get(column.id);
  const told = own && !own.picks && Number.isFinite(own[which]) ? own[which] : column[which];
  return html`<span class="brush-end ${covered ? "on" : ""}" role="slider" tabindex="0" data-end=${which} aria-orientation="vertical" aria-label=${t(`lineage.brush_${which}`, { name: column.name })}
    aria-valuemin=${column.lo} aria-valuemax=${column.hi} aria-valuenow=${Math.max(column.lo, Math.min(column.hi, told))} aria-valuetext=${shortNumber(told, 6)}
    style=${styleMap({ top: `${heightAt(place, frame.value)}px` })} @keydown=${(/** @type {KeyboardEvent} */ event) => pressedOnEnd(event, scale, which)}>${covered ? html`<b>${shortNumber(told, 4)}</b>` : nothing}</span>`;
}

/** @param {Scale} scale @param {import("./model/brush.js").Brush | undefined} own */
function categories(scale, own) {
  const { column } = scale;
  const all = column.categories;
  const { top, bottom } = frame.value;
  const labels = new Set(ticksOf(scale, Math.floor((bottom - top) / LABEL)).map(({ text }) => text));
  const thick = Math.max(2, Math.min(14, (bottom - top) / all.length - 1));
  return repeat(
    all,
    (text) => text,
    (text, at) => {
      const isPicked = own?.picks?.has(pickOf(text)) ?? false;
      if (!isPicked && !labels.has(text)) return nothing;
      const style = styleMap({
        top: `${heightAt(categoryPlace(at, all.length), frame.value)}px`,
        "--thick": `${thick}px`,
      });
      if (!labels.has(text)) return html`<i class="brush one" style=${style} data-picked=${text}></i>`;
      return html`<button class="pick" style=${style} aria-pressed=${isPicked} title=${text} data-pick=${text} @click=${() => togglePick(column.id, pickOf(text))}><i></i><span>${text === "" ? "“”" : text}</span></button>`;
    },
  );
}

/** @param {string} id @param {number} top @param {string} pick @param {string} text @param {string} label @param {import("./model/brush.js").Brush | undefined} own */
const lane = (id, top, pick, text, label, own) => html`
  <button class="pick lane" style=${styleMap({ top: `${top}px` })} aria-pressed=${own?.picks?.has(pick) ?? false} title=${label} aria-label=${label} data-pick-lane=${pick} @click=${() => togglePick(id, pick)}><i></i><span>${text}</span></button>`;
