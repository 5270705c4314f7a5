// What the runs are sorted by.

import { html, nothing } from "lit-html";
import { setSorting, sorting, statisticId } from "../../data/runs/run_sort.js";
import { bestOf } from "../../data/series/best_values.js";
import { choice } from "../choice.js";
import { valueSections, valueText } from "./colour_menu.js";
import { valueMenu } from "./value_menu.js";
import { t } from "./words.js";

const FACTS = /** @type {const} */ (["name", "started", "duration", "steps", "state"]);

/** @param {string} place */
export const sortMenu = (place) =>
  valueMenu({
    id: `sort-by-${place}`,
    label: t("run_set.sort"),
    title: t("run_set.sort_hint"),
    value: sorting.value.map(({ id, down }) => `${textOf(id)} ${down ? "↓" : "↑"}`).join(", "),
    sections: () => [
      {
        title: "",
        choices: [
          { id: "", text: t("run_set.sort_off") },
          ...FACTS.map((id) => ({ id, text: t(`run_set.sort_${id}`) })),
        ],
      },
      ...valueSections(),
    ],
    isChosen: (id) => (id ? statisticId(sorting.value[0]?.id ?? "") === id : !sorting.value.length),
    choose: (id) => setSorting(id ? [{ id, down: isDownFirst(id) }] : []),
    more: () => (sorting.value.length ? direction() : nothing),
    staysOpen: true,
  });

/** @param {string} id */
function textOf(id) {
  const fact = FACTS.find((each) => each === id);
  return fact ? t(`run_set.sort_${fact}`) : valueText(statisticId(id)) || id;
}

/** The best values first. @param {string} id */
const isDownFirst = (id) => /^(last|max):/.test(id) && bestOf(id.slice(id.indexOf(":") + 1)) === "max";

const direction = () => {
  const [first, ...others] = sorting.value;
  return html`<div class="option-rows"><div class="option"><span>${t("run_set.order")}</span>${choice(
    "order",
    t("run_set.order"),
    [
      ["up", t("run_set.order_up")],
      ["down", t("run_set.order_down")],
    ],
    first.down ? "down" : "up",
    (value) => setSorting([{ ...first, down: value === "down" }, ...others]),
  )}</div></div>`;
};
