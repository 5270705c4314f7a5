// The table of elements with the legend of its colours.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { failedCard } from "../../controls/failure.js";
import { theme } from "../../data/view/view.js";
import { grouped, shortNumber } from "../../i18n/numbers.js";
import { entry, slice, source } from "./displayed_slice.js";
import { scaleOf } from "./draw/colours.js";
import { gradientOf } from "./draw/theme.js";
import { formatOf, numberKindOf, widestTexts } from "./model/format.js";
import { printSlice } from "./model/slice.js";
import { numberOf } from "./series_steps.js";
import { cells, colours, decimals, notation, tag } from "./settings.js";
import { t } from "./words.js";
import "./tensor_table.js";

/** @typedef {import("./tensor_table.js").Table} Table */

/** Why visible tiles could not be loaded. @type {import("@preact/signals-core").Signal<Error | null>} */
const tileError = signal(null);

export function tableView() {
  const shown = entry.value;
  const from = source.value;
  if (!shown || !from) return nothing;
  const [min, max] = [numberOf(shown.min), numberOf(shown.max)];
  return elementTable({
    from,
    min,
    max,
    magnitude: 0,
    note: html`<span class="meta" data-key="elements">${elementCount(from.layout.count, shown.count)}</span>`,
  });
}

/** @param {number} n elements in the table @param {number} all elements of the tensor */
const elementCount = (n, all) =>
  n === all
    ? t("tensor.elements", { n: grouped(n) })
    : t("tensor.shown_elements", { n: grouped(n), all: grouped(all) });

/** The number format of a table with values in a range.
 * @param {number} min @param {number} max finite or NaN */
export function tableFormat(min, max) {
  return formatOf(finite(min), finite(max), numberKind(), decimals.value, notation.value);
}

const numberKind = () => numberKindOf(entry.value?.dtype ?? "");

/** @param {number} value */
const finite = (value) => (Number.isFinite(value) ? value : 0);

/** `min` and `max` are the range of the colours, NaN while it is unknown: then values are at most about `magnitude`.
 * @param {{from: import("./displayed_slice.js").Source, min: number, max: number, magnitude: number, note: unknown}}
 *   options `note` is shown above the table */
export function elementTable({ from, min, max, magnitude, note }) {
  const hasColours = Number.isFinite(min) && Number.isFinite(max);
  const isMap = cells.value === "map" && hasColours;
  const scale = hasColours && (colours.value === "on" || isMap) ? scaleOf(min, max) : null;
  const [low, high] = hasColours ? [numberKind() === "complex" ? -max : min, max] : [-magnitude, magnitude];
  const format = tableFormat(low, high);
  const text = slice.value ? printSlice(slice.value.parts) : "";
  /** @type {Table} */
  const shown = {
    source: from,
    style: { scale, format, isMap },
    widestTexts: widestTexts(low, high, numberKind(), format),
    label: t("tensor.table_of", { tag: tag.value, slice: text || "[]" }),
    theme: theme.value,
  };
  if (!from.layout.count) return html`<p class="tensor-note" data-state="no_elements">${t("tensor.no_elements")}</p>`;
  return html`
    <div class="tensor-legend">
      ${note}
      ${
        scale
          ? html`<span class="space"></span><span class="meta">${shortNumber(scale.lo)}</span><i class="ramp"
            style=${`background:${gradientOf(shown.style)}`} aria-hidden="true"></i>
        <span class="meta">${shortNumber(scale.hi)}</span><span
          class="meta bad"><i></i>${t("tensor.not_finite")}</span>`
          : nothing
      }
    </div>
    <div class="tensor-cells">
      <tensor-table .table=${shown}
        @tile-error=${(/** @type {CustomEvent} */ event) => (tileError.value = event.detail)}></tensor-table>
      ${tileError.value ? failedCard(tileError.value, retry) : nothing}
    </div>`;
}

function retry() {
  tileError.value = null;
  /** @type {{retry: () => void} & Element | null} */ (document.querySelector("tensor-table"))?.retry();
}
