// What the runs are coloured by, and the legend of these colours.

import { html, nothing } from "lit-html";
import { colourBy, setColourBy, valueColours } from "../../data/colours/colour_by.js";
import { COLOURS, SHADES } from "../../data/colours/run_styles.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { parameters, valueNamed } from "../../data/runs/run_values.js";
import { bestOf } from "../../data/series/best_values.js";
import { compareNatural } from "../../data/text/natural_order.js";
import { shortNumber } from "../../i18n/numbers.js";
import { valueMenu } from "./value_menu.js";
import { t } from "./words.js";

/** Categories in the legend; further ones are counted. */
const MAX_CATEGORIES = 12;
/** Of the gradient of the legend. */
const STOPS = [0, 0.25, 0.5, 0.75, 1].map((place) => Math.round(place * (SHADES - 1)) + COLOURS + 1);

/** @param {string} place */
export const colourMenu = (place) =>
  valueMenu({
    id: `colour-by-${place}`,
    label: t("run_set.colour"),
    title: t("run_set.colour_hint"),
    value: valueText(colourBy.value),
    sections: () => [{ title: "", choices: [{ id: "", text: t("run_set.colour_own") }] }, ...valueSections()],
    isChosen: (id) => id === colourBy.value,
    choose: setColourBy,
  });

/** The hyperparameters that vary and the metrics, by which runs can be coloured and sorted. */
export function valueSections() {
  const varying = parameters.value.filter(({ values }) => values > 1).map(({ name }) => name);
  return [
    {
      title: t("run_set.parameters"),
      choices: varying.sort(compareNatural).map((name) => ({ id: `param:${name}`, text: name })),
    },
    {
      title: t("run_set.metrics"),
      choices: (scalarTags.value ?? []).flatMap((tag) => {
        const best = `${bestOf(tag)}:${tag}`;
        return [best, `last:${tag}`].map((id) => ({ id, text: tag, note: statisticOf(id) }));
      }),
    },
  ];
}

/** @param {string} id of a value of a metric */
const statisticOf = (id) => t(`run_set.${/** @type {"last" | "min" | "max"} */ (id.slice(0, id.indexOf(":")))}`);

/** "lr", "val/loss min"; "" for none. @param {string} id */
export function valueText(id) {
  const value = valueNamed(id);
  if (!value) return "";
  return value.kind === "param" ? value.name : `${value.name} ${statisticOf(id)}`;
}

/** Which colour stands for which value; nothing while runs have their own colours. */
export function colourLegend() {
  const scale = valueColours.value?.scale;
  if (!scale) return nothing;
  const { categories, lo, hi, isLog } = scale;
  const name = valueText(colourBy.value);
  if (categories.length)
    return html`<div class="colour-legend" role="img" aria-label=${`${name}: ${categories.join(", ")}`}>
      ${categories
        .slice(0, MAX_CATEGORIES)
        .map(
          (category, at) => html`<span><i style="background:var(--run-${(at % COLOURS) + 1})"></i>${category}</span>`,
        )}${
        categories.length > MAX_CATEGORIES
          ? html`<span class="meta">${t("run_set.more", { n: categories.length - MAX_CATEGORIES })}</span>`
          : nothing
      }</div>`;
  if (!Number.isFinite(lo)) return html`<div class="colour-legend meta">${t("run_set.no_values")}</div>`;
  const [from, to] = [shortNumber(lo), shortNumber(hi)];
  return html`<div class="colour-legend" role="img" aria-label=${t("run_set.scale", { name, from, to })}>
    <span>${from}</span><i class="gradient" style="background:linear-gradient(90deg,${STOPS.map((index) => `var(--run-${index})`).join(",")})"></i>
    <span>${to}</span>${isLog ? html`<span class="meta">${t("run_set.log")}</span>` : nothing}</div>`;
}
