// How many of the elements something was computed from, and a way to all of them.

import { html } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { printSlice } from "./model/slice.js";
import { surveyWhole } from "./survey.js";
import { t } from "./words.js";

/** @param {import("./survey.js").Survey<unknown>} survey */
export const coverage = ({ key, covered, total, parts }) =>
  covered === total
    ? html`<p class="tensor-coverage" data-covered=${covered}>${t("tensor.covers_all", { n: grouped(total) })}</p>`
    : html`<p class="tensor-coverage" data-covered=${covered}>${t("tensor.covers_some", { n: grouped(covered), all: grouped(total) })} <code>${printSlice(parts)}</code>
        <button class="text" data-key="whole" @click=${() => surveyWhole(key)}>${t("tensor.look_at_all")}</button></p>`;
