// The toolbar of the tensors page: filters of the list, or view options of one tensor.

import { html, nothing } from "lit-html";
import { choice } from "../../controls/choice.js";
import { rankChoice } from "../../controls/rank_choice.js";
import { pluginToolbar } from "../../controls/tag_page.js";
import { set } from "../../data/view/view.js";
import { entry, tags } from "./displayed_slice.js";
import { MAX_DECIMALS, numberKindOf } from "./model/format.js";
import { numberOf } from "./series_steps.js";
import { cells, colours, ranks, tag, VIEWS, view } from "./settings.js";
import { tableFormat } from "./table_view.js";
import { t } from "./words.js";

export const toolbar = () => (tag.value ? detailToolbar() : pluginToolbar(tags, rankChoice(ranks)));

const detailToolbar = () => html`
  ${choice(
    "tensor-view",
    t("tensor.view"),
    VIEWS.map((name) => [name, t(`tensor.view_${name}`)]),
    view.value,
    (name) => set({ "tensor.view": name === "table" ? "" : name }),
  )}
  <span class="space"></span>
  ${rankChoice(ranks)}
  ${view.value === "table" || view.value === "diff" ? tableOptions() : nothing}`;

function tableOptions() {
  const shown = entry.value;
  const format = tableFormat(numberOf(shown?.min ?? null), numberOf(shown?.max ?? null));
  const isMap = cells.value === "map";
  const isWhole = numberKindOf(shown?.dtype ?? "") === "whole";
  return html`
    ${
      isMap
        ? nothing
        : html`
      ${
        isWhole && !format.exponents
          ? nothing
          : html`<label class="tensor-decimals" title=${t("tensor.decimals_hint")}><span>${t("tensor.decimals")}</span>
        <input type="number" id="tensor-decimals" min="0" max=${MAX_DECIMALS} step="1" .value=${String(format.decimals)}
          @input=${onDecimalsInput}></label>`
      }
      ${toggle("scientific", t("tensor.scientific"), t("tensor.scientific_hint"), format.exponents, () =>
        set({ "tensor.notation": format.exponents ? "plain" : "scientific" }),
      )}
      ${toggle("colours", t("tensor.colours"), t("tensor.colours_hint"), colours.value === "on", () =>
        set({ "tensor.colours": colours.value === "on" ? "off" : "" }),
      )}`
    }
    ${choice(
      "cells",
      t("tensor.cells"),
      [
        ["numbers", t("tensor.cells_numbers")],
        ["map", t("tensor.cells_map")],
      ],
      cells.value,
      (name) => set({ "tensor.cells": name === "map" ? name : "" }),
    )}`;
}

/** @param {string} key @param {string} text @param {string} hint @param {boolean} isOn @param {() => void} act */
const toggle = (key, text, hint, isOn, act) =>
  html`<button class="toggle" data-key=${key} title=${hint} aria-pressed=${isOn} @click=${act}>${text}</button>`;

/** @param {Event} event */
function onDecimalsInput(event) {
  const text = /** @type {HTMLInputElement} */ (event.target).value;
  if (/^\d+$/.test(text)) set({ "tensor.decimals": String(Math.min(MAX_DECIMALS, Number(text))) });
}
