// The settings of the histograms page: how they are drawn, on which axis, which step, how large.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { set } from "../../data/view.js";
import { AXES, axis, layout, MODES, mode, pageStep, ranks, scale, trim } from "./settings.js";
import { t } from "./words.js";

/** What is as usual leaves the address.
 * @param {string} name @param {string} usual */
const choose = (name, usual) => (/** @type {string} */ value) => set({ [name]: value === usual ? "" : value });

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
    ${toggle("trim", trim.value, "on", t("hist.trim"), t("hist.trim_hint"), "off")}
    ${
      mode.value === "bands"
        ? nothing
        : toggle("scale", scale.value, "log", t("hist.log"), t("hist.log_hint"), "linear")
    }
  </div>
  ${sizeChoice()}`;

/** One choice that is taken or not.
 * @param {string} name @param {string} value @param {string} taken @param {string} text @param {string} hint
 * @param {string} otherwise */
const toggle = (name, value, taken, text, hint, otherwise) =>
  choice(name, hint, [[taken, text]], value, () =>
    choose(`hist.${name}`, otherwise)(value === taken ? otherwise : taken),
  );
