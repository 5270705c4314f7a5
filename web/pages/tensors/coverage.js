// How many of the elements were measured, with a button to measure all of them.

import { html } from "lit-html";
import { grouped } from "../../i18n/numbers.js";
import { measureAll } from "./measurement.js";
import { printSlice } from "./model/slice.js";
import { t } from "./words.js";

/** @param {import("./measurement.js").Measurement<unknown>} measurement */
export const coverage = ({ key, covered, total, parts }) =>
  covered === total
    ? html`<p class="tensor-coverage" data-covered=${covered}>${t("tensor.covers_all", { n: grouped(total) })}</p>`
    : html`<p class="tensor-coverage"
      data-covered=${covered}>${t("tensor.covers_some", {
        n: grouped(covered),
        all: grouped(total),
      })} <code>${printSlice(parts)}</code>
        <button class="text" data-key="whole" @click=${() => measureAll(key)}>${t("tensor.use_all")}</button></p>`;
