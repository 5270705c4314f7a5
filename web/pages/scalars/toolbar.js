// The toolbar of the scalars page: the tag filter, then slots that stay where they are: x, smoothing, groups, scale, view.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { groupLegend } from "../../controls/run_set/group_legend.js";
import { groupMenu } from "../../controls/run_set/group_menu.js";
import { sectionMenu } from "../../controls/section_menu.js";
import { slot } from "../../controls/slot.js";
import { tagField } from "../../controls/tag_page.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { bands, isAutomatic, method, smoothBy, strength, toggleAutomatic } from "../../data/series/scalar_view.js";
import { clampStrength, METHODS, POSITIONS, positionOf, strengthAt } from "../../data/series/smoothing.js";
import { drawnGroups } from "../../data/tags/visible_tags.js";
import { axis, change, logarithmic, narrow, set } from "../../data/view/view.js";
import { sections } from "./card_slots.js";
import { optionsButton } from "./options.js";
import { t } from "./words.js";
import { pageXChoice } from "./x_choice.js";

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
  ${narrow.value ? nothing : slots()}
  ${optionsButton(narrow.value ? slots() : nothing)}
  ${bands.value ? groupLegend(drawnRuns.value) : nothing}`;

const slots = () => html`
  ${slot("x", t("slot.x"), pageXChoice())}
  ${slot("smoothing", t("bar.smooth"), smoothing())}
  ${slot("group", t("slot.group"), groupMenu("slot"))}
  ${slot(
    "scale",
    t("slot.y"),
    choice(
      "scale",
      t("bar.scale"),
      [
        ["linear", t("bar.linear")],
        ["log", t("bar.log")],
      ],
      logarithmic.value ? "log" : "linear",
      (value) => change({ log: value === "log" }),
    ),
  )}`;

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
    <span class="meta" data-unit>${unit()}</span>
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
