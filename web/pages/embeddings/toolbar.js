// The settings of the page of embeddings.

import { html, nothing } from "lit-html";
import { choice, select } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { stepSlider } from "../../controls/step_slider.js";
import { choose, chooseEmbedding, chooseStep, dimensions, METHODS, method, NONE, seed } from "./settings.js";
import { choices, chosen, colourNumber, labelNumber, searched, shown, steps } from "./state.js";
import { t } from "./words.js";

/** Moves to another step. @param {number} by */
export function moveStep(by) {
  const all = steps.peek();
  const at = Math.max(0, all.indexOf(shown.peek()?.step ?? -1));
  showStep(Math.max(0, Math.min(all.length - 1, at + by)));
}

/** @param {number} place The last step means the last one, also when more arrive. */
const showStep = (place) => chooseStep(place >= steps.peek().length - 1 ? null : steps.peek()[place]);

export function toolbar() {
  if (!choices.value.length) return nothing;
  return html`${which()}${search()}<span class="space"></span>${stepOf()}
    ${columnSelect("emb-colour", t("emb.colour"), "emb.colour", colourNumber.value)}
    ${columnSelect("emb-label", t("emb.label"), "emb.label", labelNumber.value)}
    ${select(
      "emb-method",
      t("emb.method"),
      METHODS.map((each) => [each, t(`emb.method_${each}`)]),
      method.value,
      choose("emb.method", "pca"),
    )}
    ${seedField()}
    ${choice(
      "emb-dims",
      t("emb.dimensions"),
      [
        ["2", t("emb.two")],
        ["3", t("emb.three")],
      ],
      dimensions.value,
      choose("emb.dims", "2"),
    )}`;
}

function seedField() {
  if (method.value === "pca") return nothing;
  return html`<label class="emb-column"><span aria-hidden="true">${t("emb.seed")}</span><input class="field emb-seed" name="emb-seed"
    type="number" min="0" max="999999999" step="1" aria-label=${t("emb.seed")} title=${t("emb.seed_hint")} .value=${String(seed.value)}
    @change=${(/** @type {Event} */ { target }) =>
      choose("emb.seed", "0")(/** @type {HTMLInputElement} */ (target).value)}></label>`;
}

function which() {
  const all = choices.value;
  const at = all.findIndex(({ run, name }) => run === chosen.value?.run && name === chosen.value?.name);
  return select(
    "emb-which",
    t("emb.which"),
    all.map(({ run, name }, number) => [String(number), `${nameOf(run)} · ${name}`]),
    String(at),
    (number) => chooseEmbedding(all[Number(number)].run, all[Number(number)].name),
  );
}

function search() {
  if (!shown.value?.columns.length) return nothing;
  return html`<div class="filter">${ICONS.search}
    <input id="tag-filter" type="search" spellcheck="false" autocomplete="off" placeholder=${t("emb.search")}
      aria-label=${t("emb.search")} .value=${searched.value}
      @input=${(/** @type {InputEvent} */ { target }) =>
        (searched.value = /** @type {HTMLInputElement} */ (target).value)}></div>`;
}

function stepOf() {
  const all = steps.value;
  if (all.length < 2) return nothing;
  const at = Math.max(0, all.indexOf(shown.value?.step ?? all[all.length - 1]));
  return stepSlider({ steps: all, at, changed: showStep, label: t("emb.step"), key: "emb-step" });
}

/** @param {string} key @param {string} label @param {string} setting @param {number} number of the column; -1 = none */
function columnSelect(key, label, setting, number) {
  const { columns } = shown.value ?? { columns: [] };
  if (!columns.length) return nothing;
  return html`<label class="emb-column"><span aria-hidden="true">${label}</span>${select(
    key,
    label,
    [[NONE, t("emb.none")], ...columns.map((name) => /** @type {[string, string]} */ ([name, name]))],
    number < 0 ? NONE : columns[number],
    choose(setting),
  )}</label>`;
}
