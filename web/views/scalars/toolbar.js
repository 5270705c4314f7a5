// The settings of the scalars page: which tags, how smooth, which axes, how large.

import { html } from "lit-html";
import { weight } from "../../lib/view.js";
import { scalarTags } from "../../state/catalogue.js";
import { groups, tagRule } from "../../state/runs.js";
import { axis, cardSize, change, logarithmic, smooth, tagFilter } from "../../state/view.js";
import { t } from "../../state/words.js";
import { choice } from "../choice.js";
import { filterField } from "../filter_field.js";

/** The server is asked once the slider rests this long. */
const SLIDER_REST = 70;
let rest = 0;

export const toolbar = () => html`
  ${filterField({ id: "tag-filter", label: t("bar.filter"), pattern: tagFilter.value, rule: tagRule.value, changed: (tags) => change({ tags }) })}
  <span class="meta tag-count">${countOfTags()}</span>
  <span class="space"></span>
  ${smoothing()}
  ${choice("axis", t("bar.axis"), [["step", t("bar.step")], ["relative", t("bar.relative")], ["wall_time", t("bar.wall_time")]], axis.value, setAxis)}
  ${choice("scale", t("bar.scale"), [["linear", t("bar.linear")], ["log", t("bar.log")]], logarithmic.value ? "log" : "linear", (value) => change({ log: value === "log" }))}
  ${choice("size", t("bar.size"), [["s", "S", t("bar.size_s")], ["m", "M", t("bar.size_m")], ["l", "L", t("bar.size_l")]], cardSize.value, setSize)}`;

function countOfTags() {
  const all = scalarTags.value?.length ?? 0;
  const kept = groups.value.reduce((sum, group) => sum + group.tags.length, 0);
  return all ? t("bar.tags", { shown: kept, n: all }) : "";
}

/** A window is in the unit of its axis and means nothing on another.
 * @param {string} choice */
const setAxis = (choice) => change({ axis: /** @type {import("../../lib/ticks.js").Axis} */ (choice), zooms: {} });

/** @param {string} choice */
const setSize = (choice) => change({ size: /** @type {"s" | "m" | "l"} */ (choice) });

const smoothing = () => html`
  <label class="smoothing" title=${t("bar.smooth_hint")}>
    <span>${t("bar.smooth")}</span>
    <input id="smooth" type="range" min="0" max="0.99" step="0.01" .value=${String(smooth.value)} @input=${slid}>
    <input id="smooth-number" type="number" min="0" max="0.999" step="0.01" .value=${String(smooth.value)} aria-label=${t("bar.smooth")} @change=${typed}>
  </label>`;

/** @param {Event} event */
function slid(event) {
  const value = weight(Number(/** @type {HTMLInputElement} */ (event.target).value));
  const number = /** @type {HTMLInputElement} */ (document.getElementById("smooth-number"));
  number.value = String(value);
  clearTimeout(rest);
  rest = window.setTimeout(() => change({ smooth: value }), SLIDER_REST);
}

/** @param {Event} event */
const typed = (event) => change({ smooth: weight(Number(/** @type {HTMLInputElement} */ (event.target).value)) });
