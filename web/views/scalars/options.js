// More settings of the scalars page, behind one button: groups of runs, outliers, best values, the horizontal scale.

import { html, nothing } from "lit-html";
import { parameterNames } from "../../state/parameters.js";
import { band, best, centre, grouping, logXChosen, outliers, parameter, pattern } from "../../state/scalar_view.js";
import { axis, set } from "../../state/view.js";
import { t } from "../../state/words.js";
import { choice } from "../choice.js";
import { openAt, popover } from "./popover.js";
import { SIGNS } from "./signs.js";

const ID = "scalar-options";

/** How many of these are not as usual. */
const changed = () => [grouping.value !== "off", outliers.value !== "drawn", best.value !== "off", logXChosen.value].filter(Boolean).length;

export const optionsButton = () => html`
  <button class="quiet options-button" data-key="options" aria-haspopup="dialog" aria-pressed=${changed() > 0} title=${t("bar.options")} aria-label=${t("bar.options")}
    @click=${(/** @type {MouseEvent} */ event) => openAt(ID, /** @type {HTMLElement} */ (event.currentTarget))}>${SIGNS.options}${changed() ? html`<span class="badge">${changed()}</span>` : nothing}</button>
  ${popover({ id: ID, label: t("bar.options") }, sheet())}`;

const sheet = () => html`
  <div class="option-rows">
    ${option(t("bar.group"), choice("group", t("bar.group"), [["off", t("bar.group_off")], ["none", t("bar.group_none")], ["regex", t("bar.group_regex")], ["param", t("bar.group_param")]], grouping.value, (value) => set({ "scalar.group": value === "off" ? "" : value })))}
    ${grouping.value === "regex" ? option("", field("scalar.pattern", pattern.value, t("bar.group_pattern"), [])) : nothing}
    ${grouping.value === "param" ? option("", field("scalar.param", parameter.value, t("bar.group_name"), parameterNames.value)) : nothing}
    ${grouping.value === "off" ? nothing : html`
      ${option(t("bar.centre"), choice("centre", t("bar.centre"), [["mean", t("bar.centre_mean")], ["median", t("bar.centre_median")]], centre.value, (value) => set({ "scalar.centre": value === "mean" ? "" : value })))}
      ${option(t("bar.band"), choice("band", t("bar.band"), [["minmax", t("bar.band_minmax")], ["std", t("bar.band_std")], ["quartiles", t("bar.band_quartiles")], ["none", t("bar.band_none")]], band.value, (value) => set({ "scalar.band": value === "minmax" ? "" : value })))}`}
    <hr>
    ${option(t("bar.outliers"), choice("outliers", t("bar.outliers_hint"), [["drawn", t("bar.outliers_drawn")], ["ignored", t("bar.outliers_ignored")]], outliers.value, (value) => set({ "scalar.outliers": value === "drawn" ? "" : value })))}
    ${option(t("bar.best"), choice("best", t("bar.best_hint"), [["off", t("bar.best_off")], ["min", t("bar.best_min")], ["max", t("bar.best_max")]], best.value, (value) => set({ "scalar.best": value === "off" ? "" : value })))}
    ${option(t("bar.x_scale"), choice("x-scale", t("bar.x_scale"), [["linear", t("bar.linear")], ["log", t("bar.log")]], logXChosen.value ? "log" : "linear", (value) => set({ "scalar.x": value === "linear" ? "" : value })))}
    ${logXChosen.value && axis.value === "wall_time" ? html`<p class="meta">${t("bar.no_log_of_time")}</p>` : nothing}
  </div>`;

/** @param {string} label @param {unknown} content */
const option = (label, content) => html`<div class="option"><span>${label}</span>${content}</div>`;

/** @param {string} name of the setting @param {string} value @param {string} label @param {string[]} offered */
const field = (name, value, label, offered) => html`
  <input class="field" data-field=${name} type="text" spellcheck="false" autocomplete="off" maxlength="200" placeholder=${label} aria-label=${label}
    list=${`${name}-offered`} .value=${value} @change=${(/** @type {Event} */ event) => set({ [name]: /** @type {HTMLInputElement} */ (event.target).value })}>
  <datalist id=${`${name}-offered`}>${offered.map((one) => html`<option value=${one}></option>`)}</datalist>`;
