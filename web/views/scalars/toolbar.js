// The settings of the scalars page: which tags, how smooth, which axes, how large.

import { html, nothing } from "lit-html";
import { METHODS, PLACES, amountAt, placeOf, usable } from "../../lib/smoothing.js";
import { runsByName, scalarTags } from "../../state/catalogue.js";
import { drawnGroups } from "../../state/drawn_tags.js";
import { drawnRuns } from "../../state/runs.js";
import { amount, attempt, method, rank, smoothBy } from "../../state/scalar_view.js";
import { axis, cardSize, change, logarithmic, set } from "../../state/view.js";
import { t } from "../../state/words.js";
import { choice } from "../choice.js";
import { tagField } from "../plugin_page.js";
import { optionsButton } from "./options.js";

/** The server is asked once the slider rests this long. */
const SLIDER_REST = 70;
/** More ranks or attempts are typed, not chosen. */
const MOST_OFFERED = 64;
let rest = 0;

export const toolbar = () => html`
  ${tagField(drawnGroups.value.reduce((sum, group) => sum + group.tags.length, 0), scalarTags.value?.length ?? 0)}
  <span class="space"></span>
  ${which("rank", rank.value, ranks(), "bar.rank_lowest")}
  ${which("attempt", attempt.value, attempts(), "bar.attempt_stitched")}
  ${smoothing()}
  ${choice("axis", t("bar.axis"), [["step", t("bar.step")], ["relative", t("bar.relative")], ["wall_time", t("bar.wall_time")]], axis.value, setAxis)}
  ${choice("scale", t("bar.scale"), [["linear", t("bar.linear")], ["log", t("bar.log")]], logarithmic.value ? "log" : "linear", (value) => change({ log: value === "log" }))}
  ${choice("size", t("bar.size"), [["s", "S", t("bar.size_s")], ["m", "M", t("bar.size_m")], ["l", "L", t("bar.size_l")]], cardSize.value, setSize)}
  ${optionsButton()}`;

/** A window is in the unit of its axis and means nothing on another.
 * @param {string} choice */
const setAxis = (choice) => change({ axis: /** @type {import("../../lib/ticks.js").Axis} */ (choice), zooms: {} });

/** @param {string} choice */
const setSize = (choice) => change({ size: /** @type {"s" | "m" | "l"} */ (choice) });

const rowsOfDrawn = () => drawnRuns.value.flatMap((run) => runsByName.value.get(run) ?? []);

/** The ranks to choose from; none when no run has several. */
function ranks() {
  const rows = rowsOfDrawn();
  return rows.some((row) => row.ranks.length > 1) ? [...new Set(rows.flatMap((row) => row.ranks))].sort((a, b) => a - b) : [];
}

function attempts() {
  const most = rowsOfDrawn().reduce((largest, row) => Math.max(largest, row.attempts), 1);
  return most > 1 ? Array.from({ length: most }, (_, place) => place + 1) : [];
}

/** @param {"rank" | "attempt"} name @param {string} chosen @param {number[]} offered @param {"bar.rank_lowest" | "bar.attempt_stitched"} usual */
function which(name, chosen, offered, usual) {
  if (!offered.length && !chosen) return nothing;
  const single = offered.slice(0, MOST_OFFERED).map((n) => /** @type {[string, string]} */ ([String(n), t(`card.${name}`, { [name]: n })]));
  const options = /** @type {Array<[string, string]>} */ ([["", t(usual)], ["all", t(`bar.${name}_all`)], ...single]);
  return select(name, t(`bar.${name}`), options, chosen, (value) => set({ [`scalar.${name}`]: value }));
}

/** @param {string} name @param {string} label @param {Array<[value: string, text: string]>} options @param {string} chosen @param {(value: string) => void} changed */
const select = (name, label, options, chosen, changed) => html`
  <select class="select" data-select=${name} aria-label=${label} title=${label} @change=${(/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${options.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen} .selected=${value === chosen}>${text}</option>`)}
  </select>`;

/** What the number behind the slider counts. */
const unit = () => (method.value === "ema" ? "" : method.value === "median" ? t("bar.points") : t(axis.value === "step" ? "bar.steps" : "bar.seconds"));

const smoothing = () => html`
  <div class="smoothing" role="group" aria-label=${t("bar.smooth")} title=${t(`bar.smooth_hint_${method.value}`)}>
    ${select("smooth", t("bar.smooth_method"), METHODS.map((name) => [name, t(`bar.smooth_${name}`)]), method.value, (value) => set({ "scalar.smooth": value === "ema" ? "" : value }))}
    ${method.value === "ema" ? slider(0.99, 0.01, amount.value) : slider(PLACES, 1, placeOf(method.value, amount.value))}
    <input id="smooth-number" type="number" min="0" step="any" .value=${String(amount.value)} aria-label=${t("bar.smooth")} @change=${typed}>
    ${unit() ? html`<span class="meta" data-unit>${unit()}</span>` : nothing}
  </div>`;

/** @param {number} most @param {number} step @param {number} value */
const slider = (most, step, value) =>
  html`<input id="smooth" type="range" min="0" max=${most} step=${step} .value=${String(value)} aria-label=${t("bar.smooth")} aria-valuetext=${`${amount.value} ${unit()}`} @input=${slid}>`;

/** @param {Event} event */
function slid(event) {
  const place = Number(/** @type {HTMLInputElement} */ (event.target).value);
  const how = method.peek();
  const value = how === "ema" ? usable(how, place) : amountAt(how, place);
  const number = /** @type {HTMLInputElement} */ (document.getElementById("smooth-number"));
  number.value = String(value);
  clearTimeout(rest);
  rest = window.setTimeout(() => smoothBy(value), SLIDER_REST);
}

/** @param {Event} event */
const typed = (event) => smoothBy(Number(/** @type {HTMLInputElement} */ (event.target).value));
