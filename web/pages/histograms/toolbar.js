// The toolbar of the histograms page.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { set } from "../../data/view.js";
import { AXES, axis, isTogether, layout, MODES, mode, pageStep, range, ranks, scale, trim } from "./settings.js";
import { t } from "./words.js";

/** Returns a setter that removes the default value from the URL.
 * @param {string} name @param {string} defaultValue */
const choose = (name, defaultValue) => (/** @type {string} */ value) =>
  set({ [name]: value === defaultValue ? "" : value });

export const settings = () => html`
  ${rankChoice(ranks)}
  ${mode.value === "single" ? pageSlider(pageStep) : nothing}
  ${choice(
    "mode",
    t("hist.mode"),
    MODES.map((name) => [name, t(`hist.${name}`), t(`hist.${name}_hint`)]),
    mode.value,
    choose("hist.mode", "ridge"),
  )}
  ${
    mode.value === "single"
      ? nothing
      : choice(
          "axis",
          t("hist.axis"),
          AXES.map((name) => [name, t(`hist.axis_${name}`)]),
          axis.value,
          choose("hist.axis", "step"),
        )
  }
  <div class="hist-toggles">
    ${
      mode.value === "ridge"
        ? toggle("layout", layout.value, "front", t("hist.front"), t("hist.front_hint"), "offset")
        : nothing
    }
    ${toggle("trim", trim.value, "on", t("hist.trim"), t("hist.trim_hint"), "off", "on")}
    ${isTogether.value ? nothing : toggle("range", range.value, "own", t("hist.own"), t("hist.own_hint"), "shared")}
    ${
      mode.value === "bands"
        ? nothing
        : toggle("scale", scale.value, "log", t("hist.log"), t("hist.log_hint"), "linear")
    }
  </div>
  ${sizeChoice()}`;

/** A toggle button.
 * @param {string} name @param {string} value @param {string} on @param {string} text @param {string} hint
 * @param {string} off @param {string} [byDefault] */
const toggle = (name, value, on, text, hint, off, byDefault = off) =>
  choice(name, hint, [[on, text]], value, () => choose(`hist.${name}`, byDefault)(value === on ? off : on));
