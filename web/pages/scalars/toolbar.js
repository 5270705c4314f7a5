// The toolbar of the scalars page: tag filter, smoothing, axes, order, more settings.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sectionMenu } from "../../controls/section_menu.js";
import { tagField } from "../../controls/tag_page.js";
import { scalarTags } from "../../data/catalogue.js";
import { changeAxis } from "../../data/ranges.js";
import { isAutomatic, method, ranks, smoothBy, strength, toggleAutomatic } from "../../data/scalar_view.js";
import { clampStrength, METHODS, POSITIONS, positionOf, strengthAt } from "../../data/smoothing.js";
import { axis, change, logarithmic, set } from "../../data/view.js";
import { drawnGroups } from "../../data/visible_tags.js";
import { sections } from "./card_slots.js";
import { groupLegend } from "./group_legend.js";
import { order } from "./model/card_order.js";
import { optionsButton } from "./options.js";
import { rangeChip } from "./range_settings.js";
import { t } from "./words.js";

/** Milliseconds without a move of the slider before values are requested. */
const SLIDER_REST = 70;
let rest = 0;

export const toolbar = () => html`
  ${tagField(
    drawnGroups.value.reduce((sum, group) => sum + group.tags.length, 0),
    scalarTags.value?.length ?? 0,
  )}
  ${sectionMenu(sections.value)}
  <span class="space"></span>
  ${rangeChip()}
  ${rankChoice(ranks)}
  ${smoothing()}
  ${choice(
    "axis",
    t("bar.axis"),
    [
      ["step", t("bar.step")],
      ["relative", t("bar.relative")],
      ["wall_time", t("bar.wall_time")],
    ],
    axis.value,
    setAxis,
  )}
  ${choice(
    "scale",
    t("bar.scale"),
    [
      ["linear", t("bar.linear")],
      ["log", t("bar.log")],
    ],
    logarithmic.value ? "log" : "linear",
    (value) => change({ log: value === "log" }),
  )}
  ${select(
    "order",
    t("bar.order"),
    [
      ["name", t("bar.order_name")],
      ["changed", t("bar.order_changed")],
      ["hand", t("bar.order_hand")],
    ],
    order.value,
    (value) => set({ "scalar.order": value === "name" ? "" : value }),
  )}
  ${optionsButton()}
  ${groupLegend()}`;

/** @param {string} choice */
const setAxis = (choice) => changeAxis(/** @type {import("../../data/address.js").Axis} */ (choice));

/** The unit of the number next to the slider. */
const unit = () =>
  method.value === "ema"
    ? ""
    : method.value === "median"
      ? t("bar.points")
      : t(axis.value === "step" ? "bar.steps" : "bar.seconds");

const smoothing = () => html`
  <div class="smoothing" role="group" aria-label=${t("bar.smooth")} title=${t(`bar.smooth_hint_${method.value}`)}>
    <button class="quiet auto-smooth" data-key="auto-smooth" aria-pressed=${isAutomatic.value} title=${t("bar.smooth_auto_hint")}
      @click=${toggleAutomatic}>${t("bar.smooth_auto")}</button>
    ${select(
      "smooth",
      t("bar.smooth_method"),
      METHODS.map((name) => [name, t(`bar.smooth_${name}`)]),
      method.value,
      (value) => set({ "scalar.smooth": value === "ema" ? "" : value }),
    )}
    ${
      method.value === "ema"
        ? slider(0.99, 0.01, strength.value)
        : slider(POSITIONS, 1, positionOf(method.value, strength.value))
    }
    <input id="smooth-number" type="number" min="0" step="any" .value=${String(strength.value)}
      aria-label=${t("bar.smooth")} @change=${typed}>
    ${unit() ? html`<span class="meta" data-unit>${unit()}</span>` : nothing}
  </div>`;

/** @param {number} most @param {number} step @param {number} value */
const slider = (most, step, value) =>
  html`<input id="smooth" type="range" min="0" max=${most} step=${step} .value=${String(value)}
    aria-label=${t("bar.smooth")} aria-valuetext=${`${strength.value} ${unit()}`} @input=${slid}>`;

/** @param {Event} event */
function slid(event) {
  const position = Number(/** @type {HTMLInputElement} */ (event.target).value);
  const how = method.peek();
  const value = how === "ema" ? clampStrength(how, position) : strengthAt(how, position);
  const number = /** @type {HTMLInputElement} */ (document.getElementById("smooth-number"));
  number.value = String(value);
  clearTimeout(rest);
  rest = window.setTimeout(() => smoothBy(value), SLIDER_REST);
}

/** @param {Event} event */
const typed = (event) => smoothBy(Number(/** @type {HTMLInputElement} */ (event.target).value));
