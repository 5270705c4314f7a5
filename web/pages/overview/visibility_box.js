// A checkbox that shows or hides several runs.

import { html } from "lit-html";
import { runs } from "../../data/catalogue.js";
import { isShown, switched } from "../../data/selection.js";
import { change, selection } from "../../data/view.js";

/** @param {readonly import("./columns.js").Row[]} rows @param {string} label */
export function drawBox(rows, label) {
  const shown = rows.filter(({ run }) => isShown(selection.value, run)).length;
  const toggle = () => {
    const names = rows.map(({ run }) => run);
    change({ selection: switched(selection.peek(), names, shown < rows.length, runs.peek().length) });
  };
  return html`<input type="checkbox" .checked=${shown > 0 && shown === rows.length}
    .indeterminate=${shown > 0 && shown < rows.length} aria-label=${label} title=${label} @change=${toggle}>`;
}
