// The choice of an x axis, for the page, a section or a chart: steps, times, or any metric.

import { html, nothing } from "lit-html";
import { scalarTags } from "../../data/runs/catalogue.js";
import { TAG_AXIS } from "../../data/series/defined_axes.js";
import { hasStepMetrics } from "../../data/series/step_metrics.js";
import { chooseOwnX, choosePageX, ownX, pageX } from "../../data/series/x_axis.js";
import { t } from "./words.js";

/** Metrics that count something, by which progress is often measured. */
const COUNT = /token|episode|epoch|sample|step|image|frame|iter|batch|example|flop/i;
const MAX_OFFERED = 500;
const INHERITED = "inherited";

export const pageXChoice = () => xSelect("x", t("bar.axis"), pageX.value, false, choosePageX);

/** @param {string} place a tag, or the path of a section */
export const ownXChoice = (place) =>
  xSelect("own-x", `${t("bar.axis")}: ${place}`, ownX.value.get(place) ?? INHERITED, true, (choice) =>
    chooseOwnX(place, choice === INHERITED ? null : choice),
  );

/** @param {string} name @param {string} label @param {string} chosen @param {boolean} inherits
 * @param {(choice: string) => void} changed */
function xSelect(name, label, chosen, inherits, changed) {
  const tags = (scalarTags.value ?? []).slice(0, MAX_OFFERED);
  const chosenTag = chosen.startsWith(TAG_AXIS) ? chosen.slice(TAG_AXIS.length) : "";
  const all = chosenTag && !tags.includes(chosenTag) ? [chosenTag, ...tags] : tags;
  const option = (/** @type {string} */ value, /** @type {string} */ text) =>
    html`<option value=${value} ?selected=${value === chosen} .selected=${value === chosen}>${text}</option>`;
  const group = (/** @type {string} */ title, /** @type {string[]} */ members) =>
    members.length
      ? html`<optgroup label=${title}>${members.map((tag) => option(`${TAG_AXIS}${tag}`, tag))}</optgroup>`
      : nothing;
  return html`<select class="select x-choice" data-select=${name} aria-label=${label} title=${label}
    @change=${(/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${inherits ? option(INHERITED, t("x.inherited")) : nothing}
    ${hasStepMetrics.value || chosen === "step" ? [option("", t("x.defined")), option("step", t("bar.step"))] : option("", t("bar.step"))}
    ${option("relative_step", t("bar.relative_step"))}${option("relative", t("bar.relative"))}${option("active", t("bar.active"))}${option("wall_time", t("bar.wall_time"))}
    ${group(
      t("x.counts"),
      all.filter((tag) => COUNT.test(tag)),
    )}
    ${group(
      t("x.others"),
      all.filter((tag) => !COUNT.test(tag)),
    )}
  </select>`;
}
