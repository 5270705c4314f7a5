// A checkbox that shows or hides several runs.

import { html } from "lit-html";
import { runs } from "../../data/catalogue.js";
import { isShown, switched } from "../../data/selection.js";
import { change, selection } from "../../data/view.js";

/** @typedef {import("./row.js").Row} Row */

/** Lists of rows never change: each is counted once for a selection.
 * @type {WeakMap<readonly Row[], {for: import("../../data/selection.js").Selection, shown: number}>} */
const counts = new WeakMap();

/** Returns how many of some rows are visible. @param {readonly Row[]} rows */
export function countShown(rows) {
  const chosen = selection.value;
  if (!chosen.runs.size) return chosen.mode === "hide" ? rows.length : 0;
  const known = counts.get(rows);
  if (known?.for === chosen) return known.shown;
  const shown = rows.reduce((sum, { run }) => sum + (isShown(chosen, run) ? 1 : 0), 0);
  counts.set(rows, { for: chosen, shown });
  return shown;
}

/** @param {readonly Row[]} rows @param {string} label */
export function drawBox(rows, label) {
  const shown = countShown(rows);
  const toggle = () => {
    const names = rows.map(({ run }) => run);
    change({ selection: switched(selection.peek(), names, shown < rows.length, runs.peek().length) });
  };
  return html`<input type="checkbox" .checked=${shown > 0 && shown === rows.length}
    .indeterminate=${shown > 0 && shown < rows.length} aria-label=${label} title=${label} @change=${toggle}>`;
}
