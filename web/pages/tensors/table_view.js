// The elements as a table, with the legend of its colours.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { theme } from "../../data/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { entry, slice, source } from "./displayed_slice.js";
import { scaleOf } from "./draw/colours.js";
import { gradientOf } from "./draw/theme.js";
import { formatOf, numberKindOf, samplesOf } from "./model/format.js";
import { printSlice } from "./model/slice.js";
import { numberOf } from "./series_steps.js";
import { cells, colours, decimals, notation, tag } from "./settings.js";
import { t } from "./words.js";
import "./tensor_table.js";

/** @typedef {import("./tensor_table.js").Table} Table */

/** Why the elements in sight could not be had. @type {import("@preact/signals-core").Signal<Error | null>} */
const trouble = signal(null);

export function tableView() {
  const shown = entry.value;
  const from = source.value;
  if (!shown || !from) return nothing;
  const [min, max] = [numberOf(shown.min), numberOf(shown.max)];
  return table({
    from,
    min,
    max,
    large: 0,
    note: html`<span class="meta" data-key="elements">${howMuch(from.layout.count, shown.count)}</span>`,
  });
}

/** @param {number} n elements in the table @param {number} all of the tensor */
const howMuch = (n, all) =>
  n === all ? t("tensor.elements", { n: grouped(n) }) : t("tensor.part", { n: grouped(n), all: grouped(all) });

/** How the tensor's elements are written when they reach so far.
 * @param {number} min @param {number} max finite or NaN */
export function formatNow(min, max) {
  return formatOf(finite(min), finite(max), numberKind(), decimals.value, notation.value);
}

const numberKind = () => numberKindOf(entry.value?.dtype ?? "");

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : 0);

/** `min` and `max` are what the colours reach over, NaN while that is not known: then elements are about as large as `large`.
 * @param {{from: import("./displayed_slice.js").Source, min: number, max: number, large: number, note: unknown}} what the note stands above the table */
export function table({ from, min, max, large, note }) {
  const hasColours = Number.isFinite(min) && Number.isFinite(max);
  const isMap = cells.value === "map" && hasColours;
  const scale = hasColours && (colours.value === "on" || isMap) ? scaleOf(min, max) : null;
  const [low, high] = hasColours ? [numberKind() === "complex" ? -max : min, max] : [-large, large];
  const format = formatNow(low, high);
  const text = slice.value ? printSlice(slice.value.parts) : "";
  /** @type {Table} */
  const shown = {
    source: from,
    look: { scale, format, isMap },
    samples: samplesOf(low, high, numberKind(), format),
    label: t("tensor.table_of", { tag: tag.value, slice: text || "[]" }),
    theme: theme.value,
  };
  if (!from.layout.count) return html`<p class="tensor-note" data-state="no_elements">${t("tensor.no_elements")}</p>`;
  return html`
    <div class="tensor-legend">
      ${note}
      ${
        scale
          ? html`<span class="space"></span><span class="meta">${shortNumber(scale.lo)}</span><i class="ramp" style=${`background:${gradientOf(shown.look)}`} aria-hidden="true"></i>
        <span class="meta">${shortNumber(scale.hi)}</span><span class="meta bad"><i></i>${t("tensor.not_finite")}</span>`
          : nothing
      }
    </div>
    <div class="tensor-cells">
      <tensor-table .table=${shown} @trouble=${(/** @type {CustomEvent} */ event) => (trouble.value = event.detail)}></tensor-table>
      ${
        trouble.value
          ? html`<div class="state error" role="alert"><span>${t("card.failed", { reason: trouble.value.message })}</span>
        <button class="plain" @click=${retry}>${t("card.retry")}</button></div>`
          : nothing
      }
    </div>`;
}

function retry() {
  trouble.value = null;
  /** @type {{retry: () => void} & Element | null} */ (document.querySelector("tensor-table"))?.retry();
}
