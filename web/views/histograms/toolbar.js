// The settings of the histograms page: how they are drawn, on which axis, which step, how large.

import { html, nothing } from "lit-html";
import { cardSize, change, set } from "../../state/view.js";
import { t } from "../../state/words.js";
import { choice } from "../choice.js";
import { stepSlider } from "../step_slider.js";
import { AXES, axis, layout, mode, MODES, scale, showStepAt, stepIndex, steps } from "./settings.js";

/** What is as usual leaves the address.
 * @param {string} name @param {string} usual */
const choose = (name, usual) => (/** @type {string} */ value) => set({ [name]: value === usual ? "" : value });

export const settings = () => html`
  ${mode.value === "single" ? stepSlider({ steps: steps.value, at: Math.max(0, stepIndex.value), changed: showStepAt }) : nothing}
  ${choice("mode", t("hist.mode"), MODES.map((name) => [name, t(`hist.${name}`), t(`hist.${name}_hint`)]), mode.value, choose("hist.mode", "ridge"))}
  ${mode.value === "ridge" ? toggle("layout", layout.value, "front", t("hist.front"), t("hist.front_hint"), "offset") : nothing}
  ${mode.value === "single" ? nothing : choice("axis", t("hist.axis"), AXES.map((name) => [name, t(`hist.axis_${name}`)]), axis.value, choose("hist.axis", "step"))}
  ${mode.value === "bands" ? nothing : toggle("scale", scale.value, "log", t("hist.log"), t("hist.log_hint"), "linear")}
  ${choice("size", t("bar.size"), [["s", "S", t("bar.size_s")], ["m", "M", t("bar.size_m")], ["l", "L", t("bar.size_l")]], cardSize.value, setSize)}`;

/** One choice that is taken or not.
 * @param {string} name @param {string} value @param {string} taken @param {string} text @param {string} hint @param {string} otherwise */
const toggle = (name, value, taken, text, hint, otherwise) =>
  choice(name, hint, [[taken, text]], value, () => choose(`hist.${name}`, otherwise)(value === taken ? otherwise : taken));

/** @param {string} size */
const setSize = (size) => change({ size: /** @type {"s" | "m" | "l"} */ (size) });
