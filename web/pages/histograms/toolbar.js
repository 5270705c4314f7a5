// The toolbar of the histograms page: the mode stays in place, whatever it is.

import { html, nothing } from "lit-html";
import { pageSlider } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { rankOption } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { slot } from "../../controls/slot.js";
import { option, viewMenu } from "../../controls/view_menu.js";
import { set } from "../../data/view/view.js";
import { AXES, axis, isTogether, layout, MODES, mode, pageStep, range, ranks, scale, trim } from "./settings.js";
import { t } from "./words.js";

/** Returns a setter that removes the default value from the URL.
 * @param {string} name @param {string} defaultValue */
const choose = (name, defaultValue) => (/** @type {string} */ value) =>
  set({ [name]: value === defaultValue ? "" : value });

export const modes = () =>
  choice(
    "mode",
    t("hist.mode"),
    MODES.map((name) => [name, t(`hist.${name}`), t(`hist.${name}_hint`)]),
    mode.value,
    choose("hist.mode", "ridge"),
  );

/** x is a step where the mode shows only one. */
export const settings = () => html`
  ${
    mode.value === "single"
      ? pageSlider(pageStep)
      : slot(
          "x",
          t("hist.slot_axis"),
          choice(
            "axis",
            t("hist.axis"),
            AXES.map((name) => [name, t(`hist.axis_${name}`)]),
            axis.value,
            choose("hist.axis", "step"),
          ),
        )
  }
  ${viewMenu("hist-options", changed(), rows())}`;

/** The number of settings that differ from their defaults. */
const changed = () =>
  [
    layout.value !== "offset",
    trim.value !== "on",
    range.value !== "shared",
    scale.value !== "linear",
    ranks.rank.value !== "",
    ranks.attempt.value !== "",
  ].filter(Boolean).length;

const rows = () => html`
  ${
    mode.value === "ridge"
      ? option(
          t("hist.layout"),
          toggle("layout", layout.value, "front", t("hist.front"), t("hist.front_hint"), "offset"),
        )
      : nothing
  }
  ${option(t("hist.values"), toggle("trim", trim.value, "on", t("hist.trim"), t("hist.trim_hint"), "off", "on"))}
  ${
    isTogether.value
      ? nothing
      : option(t("hist.range"), toggle("range", range.value, "own", t("hist.own"), t("hist.own_hint"), "shared"))
  }
  ${
    mode.value === "bands"
      ? nothing
      : option(t("hist.counts"), toggle("scale", scale.value, "log", t("hist.log"), t("hist.log_hint"), "linear"))
  }
  ${rankOption(ranks)}
  ${option(t("bar.size"), sizeChoice())}`;

/** A toggle button.
 * @param {string} name @param {string} value @param {string} on @param {string} text @param {string} hint
 * @param {string} off @param {string} [byDefault] */
const toggle = (name, value, on, text, hint, off, byDefault = off) =>
  choice(name, hint, [[on, text]], value, () => choose(`hist.${name}`, byDefault)(value === on ? off : on));
