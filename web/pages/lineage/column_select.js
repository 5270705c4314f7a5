// A list to choose one column from, by what columns tell of.

import { html, nothing } from "lit-html";
import { t } from "./words.js";

/** @typedef {import("./model/columns.js").Column} Column */

/** @param {string} name @param {string} label @param {Column[]} columns @param {string} chosen id @param {(id: string) => void} changed
 * @param {string} [none] what no column is called; absent: one has to be chosen */
export function columnSelect(name, label, columns, chosen, changed, none = "") {
  const groups = Map.groupBy(columns, ({ section }) => section);
  return html`<select class="select" data-select=${name} aria-label=${label} title=${label} @change=${(/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value)}>
    ${none ? html`<option value="" .selected=${chosen === ""}>${none}</option>` : nothing}
    ${[...groups].map(([section, members]) => html`<optgroup label=${t(`lineage.group_${section}`)}>${members.map((column) => html`<option value=${column.id} .selected=${column.id === chosen}>${column.name}</option>`)}</optgroup>`)}
  </select>`;
}
