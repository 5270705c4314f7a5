// What the runs are grouped by, and what is drawn of a group.

import { html, nothing } from "lit-html";
import { usefulness } from "../../data/groups/run_grouping.js";
import {
  groupBy,
  groupKeys,
  groupPattern,
  groupPatternError,
  setGroupPattern,
  toggleGroupKey,
} from "../../data/groups/run_groups.js";
import { importanceOf } from "../../data/kinds/parameter_importance.js";
import { runs } from "../../data/runs/catalogue.js";
import { parameters } from "../../data/runs/run_values.js";
import { band, centre } from "../../data/series/scalar_view.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { choice } from "../choice.js";
import { valueMenu } from "./value_menu.js";
import { t } from "./words.js";

/** Properties that are no hyperparameters. */
const OWN = /** @type {const} */ (["name", "labels", "state", "all"]);

/** @param {string} place */
export const groupMenu = (place) =>
  valueMenu({
    id: `group-by-${place}`,
    label: t("run_set.group"),
    title: t("run_set.group_hint"),
    value: groupKeys.value.map(keyText).join(", "),
    sections,
    isChosen: (id) => (id ? groupKeys.value.includes(id) : !groupKeys.value.length),
    choose: (id) => (id ? toggleGroupKey(id) : groupBy([])),
    more,
    staysOpen: true,
    none: place === "slot" ? t("run_set.group_none") : undefined,
  });

/** @param {string} key */
function keyText(key) {
  const own = OWN.find((each) => each === key);
  return own ? t(`run_set.group_${own}`) : key.slice(key.indexOf(":") + 1);
}

/** Hyperparameters with a few values first, the most important ones before others. */
function sections() {
  const count = runs.value.length;
  const varying = parameters.value
    .filter(({ values }) => values > 1)
    .map(({ name, values }) => ({ name, values, use: usefulness(values, count, importanceOf(name)) }))
    .sort((a, b) => b.use - a.use || compareNatural(a.name, b.name));
  return [
    { title: "", choices: [{ id: "", text: t("run_set.group_off") }] },
    {
      title: t("run_set.parameters"),
      choices: varying.map(({ name, values }) => ({
        id: `param:${name}`,
        text: name,
        note: t("run_set.groups", { n: grouped(values) }),
      })),
    },
    { title: t("run_set.others"), choices: OWN.map((id) => ({ id, text: t(`run_set.group_${id}_long`) })) },
  ];
}

const more = () => html`
  <label class="group-pattern"><span>${t("run_set.group_regex")}</span>
    <input type="text" class="plain" data-key="group-regex" spellcheck="false" autocomplete="off" maxlength="200"
      placeholder="(adam|sgd)" .value=${groupPattern.value} aria-invalid=${groupPatternError.value !== null}
      title=${groupPatternError.value ?? t("run_set.group_regex_hint")}
      @change=${(/** @type {Event} */ event) => setGroupPattern(/** @type {HTMLInputElement} */ (event.target).value)}>
  </label>
  ${groupKeys.value.length ? bandRows() : nothing}`;

const bandRows = () => html`<div class="option-rows">
  ${row("centre", centre.value, ["mean", "median", "sum"])}
  ${row("band", band.value, ["std", "minmax", "quartiles", "none"])}
</div>`;

/** The first choice is the default, which the address omits.
 * @param {"centre" | "band"} name @param {string} chosen @param {string[]} options */
const row = (name, chosen, options) =>
  html`<div class="option"><span>${t(`run_set.${name}`)}</span>${choice(
    name,
    t(`run_set.${name}`),
    options.map((option) => [option, t(/** @type {import("./words.js").TextKey} */ (`run_set.${name}_${option}`))]),
    chosen,
    (value) => set({ [`scalar.${name}`]: value === options[0] ? "" : value }),
  )}</div>`;
