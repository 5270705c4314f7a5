// "Alert me when" in the menu of a card: the rules about its tag that were made on the page, and a form for another one.

import { html, nothing } from "lit-html";
import { nearest } from "../../charts/binary_search.js";
import { ICONS } from "../../controls/icons.js";
import { Refusal } from "../../controls/refusal.js";
import { conditionOf, isAbout, textOf } from "../../data/notes/alert_rule.js";
import { alertList, deleteRule, makeRule } from "../../data/notes/alerts.js";
import { limits } from "../../data/series/scalar_view.js";
import { crosshair, cursorRun, pointedRun } from "../../data/view/pointer.js";
import { runFilter } from "../../data/view/view.js";
import { t } from "./words.js";

/** @typedef {import("../../charts/plot.js").Plot} Plot */

/** Digits of the value that is proposed. */
const DIGITS = 4;
const refusal = new Refusal();

export const forgetRefusal = () => refusal.forget();

/** @param {string} tag @param {Plot | null} plot */
export function alertRules(tag, plot) {
  const list = alertList.value;
  if (!list || list.read_only) return nothing;
  const own = list.rules.filter(({ when, made }) => made !== null && isAbout(when, tag));
  return html`<div class="card-settings"><fieldset data-settings="alert">
    <legend>${t("card.alert")}</legend>
    ${own.map(
      (rule) => html`<div class="setting-row" data-rule=${rule.name}>
      <span class="setting-name" title=${textOf(rule)}>${textOf(rule)}</span>
      <button class="quiet" data-key="remove" title=${t("card.remove")} aria-label=${t("card.remove")}
        @click=${() => refusal.attempt(() => deleteRule(rule.name))}>${ICONS.close}</button>
    </div>`,
    )}
    ${form(tag, proposalOf(tag, plot), runFilter.value.trim())}
    ${refusal.note}
  </fieldset></div>`;
}

/** @param {string} tag @param {{above: boolean, value: number | null}} proposal @param {string} search of the page */
const form = (tag, { above, value }, search) => html`
  <form @submit=${(/** @type {SubmitEvent} */ event) => submitted(event, tag, search)}>
    <div class="setting-row">
      <select class="select" name="side" aria-label=${t("card.alert_side")}>
        <option value="above" ?selected=${above}>${t("card.limit_above")}</option>
        <option value="below" ?selected=${!above}>${t("card.limit_below")}</option>
      </select>
      <input name="value" type="number" step="any" required autocomplete="off" aria-label=${t("card.alert_value")}
        value=${value ?? nothing}>
      <button type="submit" class="plain" data-key="make-rule">${t("card.alert_make")}</button>
    </div>
    ${
      search
        ? html`<label class="setting-row only-runs"><input type="checkbox" name="only"><span
          class="setting-name" title=${search}>${t("card.alert_only", { search })}</span></label>`
        : nothing
    }
  </form>`;

/** What is proposed: the value at the cursor, else the last threshold, else the last value.
 * @param {string} tag @param {Plot | null} plot @returns {{above: boolean, value: number | null}} */
function proposalOf(tag, plot) {
  const x = crosshair.peek()?.x ?? null;
  const threshold = limits.value.get(tag)?.at(-1);
  if (x === null && threshold) return threshold;
  const lines = (plot?.lines ?? []).filter((line) => (line.tag ?? tag) === tag && !line.isBaseline);
  const run = pointedRun.peek() ?? cursorRun.peek();
  const line = lines.find((each) => each.run === run) ?? lines[0];
  if (!line?.xs.length) return { above: true, value: null };
  const value = line.series.value[x === null ? line.xs.length - 1 : nearest(line.xs, x)];
  return { above: true, value: Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null };
}

/** @param {SubmitEvent} event @param {string} tag @param {string} search of the page */
function submitted(event, tag, search) {
  event.preventDefault();
  const entered = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const when = conditionOf(tag, entered.get("side") === "above", Number(entered.get("value")));
  return refusal.attempt(() => makeRule({ when, runs: entered.has("only") ? search : "" }));
}
