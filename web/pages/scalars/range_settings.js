// The typed ranges of a card, and the range that all charts share in the toolbar.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { rangeOf, resetRanges, setYRange, sharedRange, yRanges, zoomTo } from "../../data/ranges.js";
import { axis as pageAxis } from "../../data/view.js";
import { positionName } from "./range_names.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/ticks.js").Axis} Axis */

/** @param {string} tag @param {Plot | null} plot */
export function rangeSettings(tag, plot) {
  const axis = plot?.axis ?? pageAxis.value;
  const x = rangeOf(tag, axis);
  const y = yRanges.value.get(tag);
  return html`
    ${range("x", t("range.x"), axis, x ?? [null, null], (lo, hi) => {
      const whole = plot?.x ?? [0, 1];
      zoomTo(tag, axis, lo === null && hi === null ? null : [lo ?? whole[0], hi ?? whole[1]]);
    })}
    ${range("y", t("range.y"), "step", y ?? [null, null], (lo, hi) => setYRange(tag, [lo, hi]))}`;
}

/** @param {"x" | "y"} name @param {string} label @param {Axis} axis how its values are written
 * @param {readonly [number | null, number | null]} values
 * @param {(lo: number | null, hi: number | null) => void} changed */
const range = (name, label, axis, [lo, hi], changed) => html`<fieldset data-settings="range-${name}">
  <legend>${label}</legend>
  <form class="setting-row" @change=${(/** @type {Event} */ event) => read(event, axis, changed)}
    @submit=${(/** @type {Event} */ event) => event.preventDefault()}>
    ${field("from", `${label}: ${t("range.from")}`, axis, lo)}<span aria-hidden="true">–</span>${field(
      "to",
      `${label}: ${t("range.to")}`,
      axis,
      hi,
    )}
  </form>
</fieldset>`;

/** @param {"from" | "to"} name @param {string} label @param {Axis} axis @param {number | null} value */
const field = (name, label, axis, value) => html`<input name=${name} step=${axis === "wall_time" ? "1" : "any"}
  type=${axis === "wall_time" ? "datetime-local" : "number"} autocomplete="off" placeholder=${t("range.auto")}
  aria-label=${label} title=${label} .value=${value === null ? "" : textOf(value, axis)}>`;

/** @param {number} value @param {Axis} axis */
const textOf = (value, axis) => (axis === "wall_time" ? localTime(value) : String(value));

/** The form of datetime-local fields.
 * @param {number} seconds since 1970 */
function localTime(seconds) {
  const offset = new Date(1000 * seconds).getTimezoneOffset() * 60;
  return new Date(1000 * Math.round(seconds - offset)).toISOString().slice(0, 19);
}

/** @param {Event} event @param {Axis} axis @param {(lo: number | null, hi: number | null) => void} changed */
function read(event, axis, changed) {
  const { elements } = /** @type {HTMLFormElement} */ (event.currentTarget);
  const numberOf = (/** @type {string} */ name) => {
    const { value } = /** @type {HTMLInputElement} */ (elements.namedItem(name));
    if (value === "") return null;
    return axis === "wall_time" ? new Date(value).getTime() / 1000 : Number(value);
  };
  const [lo, hi] = [numberOf("from"), numberOf("to")];
  const last = /** @type {HTMLInputElement} */ (elements.namedItem("to"));
  last.setCustomValidity(lo !== null && hi !== null && lo >= hi ? t("range.not_above") : "");
  if (last.reportValidity()) changed(lo, hi);
}

/** The range that all charts share, with a button that resets it. */
export function rangeChip() {
  const range = sharedRange.value;
  if (!range) return nothing;
  const [lo, hi] = range.map((x) => positionName(x, pageAxis.value));
  return html`<button class="quiet range-chip" data-key="reset-range" title=${t("bar.range_reset")}
    aria-label="${lo} – ${hi}. ${t("bar.range_reset")}" @click=${resetRanges}><span>${lo} – ${hi}</span>${ICONS.close}</button>`;
}
