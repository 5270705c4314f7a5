// The typed ranges of a card.

import { html } from "lit-html";
import { rangeOf, setYRange, yRanges, zoomTo } from "../../data/series/ranges.js";
import { xOf } from "../../data/series/x_axis.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */
/** @typedef {import("../../charts/ticks.js").Axis} Axis */

/** @param {string} tag @param {Plot | null} plot */
export function rangeSettings(tag, plot) {
  const axis = plot?.axis ?? xOf(tag).axis;
  const x = rangeOf(tag, axis);
  const y = yRanges.value.get(tag);
  return html`
    ${range("x", t("range.x"), axis, x ?? [null, null], (lo, hi) => {
      if (lo === null && hi === null) return zoomTo(tag, axis, null);
      const [first, last] = plot?.x ?? [0, 1];
      if ((lo ?? first) >= (hi ?? last)) return t(lo === null ? "range.before" : "range.after");
      zoomTo(tag, axis, [lo ?? first, hi ?? last]);
    })}
    ${range("y", t("range.y"), "step", y ?? [null, null], (lo, hi) => setYRange(tag, [lo, hi]))}`;
}

/** Applies a typed range, or returns why it cannot.
 * @typedef {(lo: number | null, hi: number | null) => string | void} Apply */

/** @param {"x" | "y"} name @param {string} label @param {Axis} axis how its values are written
 * @param {readonly [number | null, number | null]} values @param {Apply} apply */
const range = (name, label, axis, [lo, hi], apply) => html`<fieldset data-settings="range-${name}">
  <legend>${label}</legend>
  <form class="setting-row" @change=${(/** @type {Event} */ event) => read(event, axis, apply)}
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

/** @param {Event} event @param {Axis} axis @param {Apply} apply */
function read(event, axis, apply) {
  const { elements } = /** @type {HTMLFormElement} */ (event.currentTarget);
  const [from, to] = ["from", "to"].map((name) => /** @type {HTMLInputElement} */ (elements.namedItem(name)));
  const inputValue = (/** @type {HTMLInputElement} */ { value }) => {
    if (value === "") return null;
    return axis === "wall_time" ? new Date(value).getTime() / 1000 : Number(value);
  };
  const [lo, hi] = [inputValue(from), inputValue(to)];
  const isReversed = lo !== null && hi !== null && lo >= hi;
  const problem = isReversed ? t("range.not_above") : apply(lo, hi);
  const wrong = isReversed || lo === null ? to : from;
  for (const input of [from, to]) input.setCustomValidity(input === wrong && problem ? problem : "");
  wrong.reportValidity();
}
