// How the scalars page shows its charts, in a popover: order and size of cards, raw values, outliers, ranges.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { rankOption } from "../../controls/rank_choice.js";
import { sizeChoice } from "../../controls/size_choice.js";
import { option, viewMenu } from "../../controls/view_menu.js";
import { areLinked, linkRanges } from "../../data/series/ranges.js";
import { best, logXChosen, outliers, ranks, rawStyle, readsTimes } from "../../data/series/scalar_view.js";
import { axis, set } from "../../data/view/view.js";
import { order } from "./model/card_order.js";
import { choices } from "./option_rows.js";
import { t } from "./words.js";

/** The number of settings that differ from their defaults. */
const changed = () =>
  [
    order.value !== "name",
    ranks.rank.value !== "",
    ranks.attempt.value !== "",
    rawStyle.value !== "band",
    outliers.value !== "ignored",
    best.value !== "off",
    logXChosen.value,
    readsTimes.value,
    !areLinked.value,
  ].filter(Boolean).length;

/** @param {unknown} slots of the toolbar, where it has no room for them */
export const optionsButton = (slots) => viewMenu("scalar-options", changed(), rows(slots));

/** @param {unknown} slots */
const rows = (slots) => html`
    ${slots}
  ${rankOption(ranks)}
    ${option(
      t("bar.order_short"),
      select(
        "order",
        t("bar.order"),
        [
          ["name", t("bar.order_name")],
          ["changed", t("bar.order_changed")],
          ["hand", t("bar.order_hand")],
        ],
        order.value,
        (value) => set({ "scalar.order": value === "name" ? "" : value }),
      ),
    )}
    ${option(t("bar.size"), sizeChoice())}
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
    ${logXChosen.value && axis.value === "wall_time" ? html`<p class="meta">${t("bar.no_log_of_time")}</p>` : nothing}`;
