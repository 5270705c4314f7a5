// A select of one column, grouped by section.

import { html, nothing } from "lit-html";
import { t } from "./words.js";

/** @typedef {import("../../controls/run_plots/columns.js").Column} Column */

/**
 * @param {string} name @param {string} label @param {Column[]} columns @param {string} chosen id
 * @param {(id: string) => void} onChange
 * @param {string} [none] the label of the empty option; without it a column is required */
export function columnSelect(name, label, columns, chosen, onChange, none = "") {
  const groups = Map.groupBy(columns, ({ section }) => section);
  return html`<select class="select" data-select=${name} aria-label=${label} title=${label}
    @change=${(/** @type {Event} */ event) => onChange(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${none ? html`<option value="" .selected=${chosen === ""}>${none}</option>` : nothing}
    ${[...groups].map(
      ([section, members]) =>
        html`<optgroup label=${t(`lineage.group_${section}`)}>${members.map(
          (column) => html`<option value=${column.id} .selected=${column.id === chosen}>${column.name}</option>`,
        )}</optgroup>`,
    )}
  </select>`;
}
