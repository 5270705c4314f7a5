// Which values the run list shows of each run.

import { chosenValues, toggleValue } from "../../data/runs/rail_values.js";
import { focusTag } from "../../data/runs/runs.js";
import { valueSections, valueText } from "./colour_menu.js";
import { valueMenu } from "./value_menu.js";
import { t } from "./words.js";

export const valueColumnsMenu = () =>
  valueMenu({
    id: "values-rail",
    label: t("run_set.values"),
    title: t("run_set.values_hint"),
    value: chosenValues.value.map(valueText).join(", "),
    sections: () => [
      { title: "", choices: [{ id: "", text: t("run_set.values_default", { tag: focusTag.value }) }] },
      ...valueSections(),
    ],
    isChosen: (id) => (id ? chosenValues.value.includes(id) : !chosenValues.value.length),
    choose: toggleValue,
    staysOpen: true,
  });
