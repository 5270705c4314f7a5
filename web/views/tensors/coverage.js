// How many of the elements something was computed from, and a way to all of them.

import { html } from "lit-html";
import { grouped } from "../../lib/numbers.js";
import { printSlice } from "../../lib/tensor_slice.js";
import { t } from "../../state/words.js";
import { surveyWhole } from "./survey.js";

/** @param {import("./survey.js").Survey<unknown>} survey */
export const coverage = ({ key, covered, total, parts }) =>
  covered === total
    ? html`<p class="tensor-coverage" data-covered=${covered}>${t("tensor.covers_all", { n: grouped(total) })}</p>`
    : html`<p class="tensor-coverage" data-covered=${covered}>${t("tensor.covers_some", { n: grouped(covered), all: grouped(total) })} <code>${printSlice(parts)}</code>
        <button class="text" data-key="whole" @click=${() => surveyWhole(key)}>${t("tensor.look_at_all")}</button></p>`;
