// How runs are grouped on the scalars page, in a popover: by what, and the centres and bands of the groups.

import { html, nothing } from "lit-html";
import { openAt, popover } from "../../controls/popover.js";
import { option } from "../../controls/view_menu.js";
import { band, centre, grouping, parameter, pattern } from "../../data/scalar_view.js";
import { parameterNames } from "./model/parameters.js";
import { choices, field } from "./option_rows.js";
import { t } from "./words.js";

const ID = "scalar-group";

export const groupButton = () => html`
  <button class="plain group-button" data-key="group" aria-haspopup="dialog" title=${t("bar.group")}
    aria-label=${`${t("bar.group")}: ${chosen()}`} aria-pressed=${grouping.value !== "off"}
    @click=${(/** @type {MouseEvent} */ event) => openAt(ID, event)}><span>${chosen()}</span></button>
  ${popover({ id: ID, label: t("bar.group") }, sheet())}`;

const chosen = () =>
  ({
    off: t("bar.group_off"),
    none: t("bar.group_none"),
    label: t("bar.group_label"),
    regex: pattern.value || t("bar.group_regex"),
    param: parameter.value || t("bar.group_param"),
  })[grouping.value];

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
