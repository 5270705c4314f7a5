// More settings of the scalars page, in a popover: groups of runs, outliers, best values, x scale.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { openAt, popover } from "../../controls/popover.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { areLinked, linkRanges } from "../../data/ranges.js";
import {
  band,
  best,
  centre,
  grouping,
  logXChosen,
  outliers,
  parameter,
  pattern,
  rawStyle,
  readsTimes,
} from "../../data/scalar_view.js";
import { axis, set } from "../../data/view.js";
import { ICONS as CARD_ICONS } from "./icons.js";
import { parameterNames } from "./model/parameters.js";
import { t } from "./words.js";

const ID = "scalar-options";

/** The number of settings that differ from their defaults. */
const changed = () =>
  [
    grouping.value !== "off",
    rawStyle.value !== "band",
    outliers.value !== "ignored",
    best.value !== "off",
    logXChosen.value,
    readsTimes.value,
    !areLinked.value,
  ].filter(Boolean).length;

export const optionsButton = () => html`
  <button class="quiet options-button" data-key="options" aria-haspopup="dialog" aria-pressed=${changed() > 0}
    title=${t("bar.options")} aria-label=${`${t("bar.options")} ${changed() || ""}`}
    @click=${(/** @type {MouseEvent} */ event) => openAt(ID, event)}>${CARD_ICONS.options}${
      changed()
        ? html`<span
      class="badge">${changed()}</span>`
        : nothing
    }</button>
  ${popover({ id: ID, label: t("bar.options") }, sheet())}`;

const sheet = () => html`
  <div class="option-rows">
    ${choices("group", t("bar.group"), grouping.value, [
      ["off", t("bar.group_off")],
      ["none", t("bar.group_none")],
      ["label", t("bar.group_label")],
      ["regex", t("bar.group_regex")],
      ["param", t("bar.group_param")],
    ])}
    ${
      grouping.value === "regex"
        ? option("", field("scalar.pattern", pattern.value, t("bar.group_pattern"), []))
        : nothing
    }
    ${
      grouping.value === "param"
        ? option("", field("scalar.param", parameter.value, t("bar.group_name"), parameterNames.value))
        : nothing
    }
    ${grouping.value === "off" ? nothing : bandRows()}
    <hr>
    ${choices(
      "raw",
      t("bar.raw"),
      rawStyle.value,
      [
        ["band", t("bar.raw_band")],
        ["line", t("bar.raw_line")],
        ["off", t("bar.raw_off")],
      ],
      t("bar.raw_hint"),
    )}
    ${choices(
      "outliers",
      t("bar.outliers"),
      outliers.value,
      [
        ["ignored", t("bar.outliers_ignored")],
        ["drawn", t("bar.outliers_drawn")],
      ],
      t("bar.outliers_hint"),
    )}
    ${choices(
      "best",
      t("bar.best"),
      best.value,
      [
        ["off", t("bar.best_off")],
        ["min", t("bar.best_min")],
        ["max", t("bar.best_max")],
      ],
      t("bar.best_hint"),
    )}
    ${choices("x", t("bar.x_scale"), logXChosen.value ? "log" : "linear", [
      ["linear", t("bar.linear")],
      ["log", t("bar.log")],
    ])}
    ${choices("times", t("bar.times"), readsTimes.value ? "on" : "off", [
      ["off", t("bar.times_off")],
      ["on", t("bar.times_on")],
    ])}
    ${option(
      t("bar.ranges"),
      choice(
        "link",
        t("bar.ranges_hint"),
        [
          ["on", t("bar.ranges_linked")],
          ["off", t("bar.ranges_own")],
        ],
        areLinked.value ? "on" : "off",
        (value) => linkRanges(value === "on"),
      ),
    )}
    ${logXChosen.value && axis.value === "wall_time" ? html`<p class="meta">${t("bar.no_log_of_time")}</p>` : nothing}
    <hr>
    ${option(t("bar.size"), sizeChoice())}
  </div>`;

const bandRows = () => html`
  ${choices("centre", t("bar.centre"), centre.value, [
    ["mean", t("bar.centre_mean")],
    ["median", t("bar.centre_median")],
    ["sum", t("bar.centre_sum")],
  ])}
  ${choices("band", t("bar.band"), band.value, [
    ["minmax", t("bar.band_minmax")],
    ["std", t("bar.band_std")],
    ["quartiles", t("bar.band_quartiles")],
    ["none", t("bar.band_none")],
  ])}`;

/** A row with one choice; its first option is the default, which is omitted from the URL.
 * @param {string} name of the setting behind its dot @param {string} label @param {string} chosen
 * @param {Array<[value: string, text: string]>} options @param {string} [hint] */
const choices = (name, label, chosen, options, hint = label) =>
  option(
    label,
    choice(name, hint, options, chosen, (value) => set({ [`scalar.${name}`]: value === options[0][0] ? "" : value })),
  );

/** @param {string} label @param {unknown} content */
const option = (label, content) => html`<div class="option"><span>${label}</span>${content}</div>`;

/** @param {string} name of the setting @param {string} value @param {string} label @param {string[]} offered */
const field = (name, value, label, offered) => html`
  <input class="field" data-field=${name} type="text" spellcheck="false" autocomplete="off" maxlength="200"
    placeholder=${label} aria-label=${label}
    list=${`${name}-offered`} .value=${value} @change=${(/** @type {Event} */ event) =>
      set({ [name]: /** @type {HTMLInputElement} */ (event.target).value })}>
  <datalist id=${`${name}-offered`}>${offered.map((option) => html`<option value=${option}></option>`)}</datalist>`;
