// Settings of one card: its ranges, the tags that share its chart, its thresholds.

import { html } from "lit-html";
import { choice } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { scalarTags } from "../../data/runs/catalogue.js";
import { companions, limits, setCompanions, setLimits } from "../../data/series/scalar_view.js";
import { rangeSettings } from "./range_settings.js";
import { t } from "./words.js";
import { ownXChoice } from "./x_choice.js";

/** @typedef {import("../../data/series/scalar_view.js").Companion} Companion */

/** Tags offered while one is typed. */
const MAX_OFFERED = 500;

/** @param {string} tag @param {import("../../charts/plot.js").Plot | null} plot */
export const cardSettings = (tag, plot) =>
  html`<div class="card-settings"><fieldset data-settings="x">
    <legend>${t("bar.axis")}</legend><div class="setting-row">${ownXChoice(tag)}</div></fieldset>${rangeSettings(tag, plot)}${sharing(tag)}${thresholds(tag)}</div>`;

/** @param {string} card its tag */
function sharing(card) {
  const companionTags = companions.value.get(card) ?? [];
  const offered = (scalarTags.value ?? [])
    .filter((tag) => tag !== card && !companionTags.some((entry) => entry.tag === tag))
    .slice(0, MAX_OFFERED);
  return html`<fieldset data-settings="with">
    <legend>${t("card.with")}</legend>
    ${companionTags.map((entry) => companion(card, entry, companionTags))}
    <form class="setting-row" @submit=${(/** @type {SubmitEvent} */ event) => addCompanion(event, card, companionTags)}>
      <input name="tag" list="tags-offered" autocomplete="off" spellcheck="false" placeholder=${t("card.with_add")}
        aria-label=${t("card.with_add")}
        @change=${(/** @type {Event} */ event) =>
          isTag(event) && /** @type {HTMLInputElement} */ (event.target).form?.requestSubmit()}>
      <datalist id="tags-offered">${offered.map((tag) => html`<option value=${tag}></option>`)}</datalist>
    </form>
  </fieldset>`;
}

/** @param {Event} event */
const isTag = ({ target }) => (scalarTags.peek() ?? []).includes(/** @type {HTMLInputElement} */ (target).value);

/** @param {string} card @param {Companion} entry @param {Companion[]} companionTags */
const companion = (card, entry, companionTags) => html`<div class="setting-row" data-with=${entry.tag}>
  <span class="setting-name" title=${entry.tag}>${entry.tag}</span>
  ${choice(
    "side",
    t("card.side"),
    [
      ["left", t("card.left_axis")],
      ["right", t("card.right_axis")],
    ],
    entry.side,
    (side) =>
      setCompanions(
        card,
        companionTags.map((other) =>
          other === entry ? { ...entry, side: side === "right" ? "right" : "left" } : other,
        ),
      ),
  )}
  ${remove(() =>
    setCompanions(
      card,
      companionTags.filter((other) => other !== entry),
    ),
  )}
</div>`;

/** @param {SubmitEvent} event @param {string} card @param {Companion[]} companionTags */
function addCompanion(event, card, companionTags) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (
    /** @type {HTMLFormElement} */ (event.target).elements.namedItem("tag")
  );
  const tag = field.value;
  const isKnown = (scalarTags.peek() ?? []).includes(tag);
  field.setCustomValidity(isKnown || !tag ? "" : t("card.no_such_tag"));
  if (!field.reportValidity() || !tag || tag === card || companionTags.some((entry) => entry.tag === tag))
    return field.setCustomValidity("");
  field.value = "";
  setCompanions(card, [...companionTags, { tag, side: "left" }]);
}

/** @param {string} tag */
function thresholds(tag) {
  const tagLimits = limits.value.get(tag) ?? [];
  return html`<fieldset data-settings="limit">
    <legend>${t("card.limits")}</legend>
    ${tagLimits.map(
      (entry) => html`<div class="setting-row" data-limit=${entry.value}>
      ${side(entry.above, (above) =>
        setLimits(
          tag,
          tagLimits.map((other) => (other === entry ? { ...entry, above } : other)),
        ),
      )}
      <span class="setting-name">${entry.value}</span>
      ${remove(() =>
        setLimits(
          tag,
          tagLimits.filter((other) => other !== entry),
        ),
      )}
    </div>`,
    )}
    <form class="setting-row" @submit=${(/** @type {SubmitEvent} */ event) => addLimit(event, tag, tagLimits)}>
      <input name="value" type="number" step="any" autocomplete="off" placeholder=${t("card.limit_add")}
        aria-label=${t("card.limit_add")}>
    </form>
  </fieldset>`;
}

/** @param {boolean} above @param {(above: boolean) => void} changed */
const side = (above, changed) =>
  choice(
    "direction",
    t("card.limit_side"),
    [
      ["above", t("card.limit_above")],
      ["below", t("card.limit_below")],
    ],
    above ? "above" : "below",
    (value) => changed(value === "above"),
  );

/** @param {SubmitEvent} event @param {string} tag @param {import("../../data/series/scalar_view.js").Limit[]} tagLimits */
function addLimit(event, tag, tagLimits) {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (
    /** @type {HTMLFormElement} */ (event.target).elements.namedItem("value")
  );
  if (field.value === "" || !Number.isFinite(field.valueAsNumber)) return;
  setLimits(tag, [...tagLimits, { above: true, value: field.valueAsNumber }]);
  field.value = "";
}

/** @param {() => void} act */
const remove = (act) =>
  html`<button class="quiet" data-key="remove" title=${t("card.remove")} aria-label=${t("card.remove")}
    @click=${act}>${ICONS.close}</button>`;
