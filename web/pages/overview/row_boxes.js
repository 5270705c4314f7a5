// The boxes and switches of rows, groups and the whole table: which runs are marked, and which are shown in charts.

import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { ICONS } from "../../controls/icons.js";
import { runs } from "../../data/runs/catalogue.js";
import { markAll, marked, markRange, toggleMark } from "../../data/runs/marked_runs.js";
import { isShown, switched, toggled } from "../../data/runs/selection.js";
import { change, selection } from "../../data/view/view.js";
import { t } from "./words.js";

/** @typedef {import("./row.js").Row} Row */

/** Returns a function that counts the rows in a set, once for each set, as lists of rows never change.
 * @template {object} Key @param {(key: Key, run: string) => boolean} isIn */
function counter(isIn) {
  /** @type {WeakMap<readonly Row[], {key: Key, count: number}>} */
  const counts = new WeakMap();
  return (/** @type {readonly Row[]} */ rows, /** @type {Key} */ key) => {
    const known = counts.get(rows);
    if (known?.key === key) return known.count;
    const count = rows.reduce((sum, { run }) => sum + (isIn(key, run) ? 1 : 0), 0);
    counts.set(rows, { key, count });
    return count;
  };
}

/** @type {(rows: readonly Row[], chosen: import("../../data/runs/selection.js").Selection) => number} */
const shownIn = counter(isShown);
/** @type {(rows: readonly Row[], runs: ReadonlySet<string>) => number} */
const markedIn = counter((/** @type {ReadonlySet<string>} */ runs, run) => runs.has(run));

/** Returns how many of some rows are visible. @param {readonly Row[]} rows */
export function countShown(rows) {
  const chosen = selection.value;
  if (!chosen.runs.size) return chosen.mode === "hide" ? rows.length : 0;
  return shownIn(rows, chosen);
}

/** The box that marks a run, with the shift key a range. @param {Row} row @param {() => readonly string[]} names of
 * all rows in order */
export const markBox = ({ run, name }, names) => html`<input type="checkbox" class="mark-run"
  .checked=${live(marked.value.has(run))} aria-label=${t("rail.mark_run", { run: name })}
  @click=${(/** @type {MouseEvent} */ { shiftKey }) => (shiftKey ? markRange(names(), run) : toggleMark(run))}>`;

/** The box that marks several runs. @param {readonly Row[]} rows @param {string} label */
export function markAllBox(rows, label) {
  const count = marked.value.size ? markedIn(rows, marked.value) : 0;
  const toggle = () =>
    markAll(
      rows.map(({ run }) => run),
      count < rows.length,
    );
  return html`<input type="checkbox" class="mark-run" .checked=${live(count > 0 && count === rows.length)}
    .indeterminate=${live(count > 0 && count < rows.length)} aria-label=${label} title=${label} @change=${toggle}>`;
}

/** The switch that shows a run in charts. @param {Row} row */
export const showSwitch = ({ run, name }) =>
  eye(isShown(selection.value, run), t("rail.draw", { run: name }), () =>
    change({ selection: toggled(selection.peek(), run) }),
  );

/** The switch that shows several runs in charts. @param {readonly Row[]} rows @param {string} label */
export function showAllSwitch(rows, label) {
  const shown = countShown(rows);
  return eye(shown > 0, label, () => {
    const names = rows.map(({ run }) => run);
    change({ selection: switched(selection.peek(), names, shown < rows.length, runs.peek().length) });
  });
}

/** @param {boolean} isOn @param {string} label @param {() => void} act */
const eye = (isOn, label, act) => html`<button type="button" class="quiet eye" role="switch" aria-checked=${isOn}
  aria-label=${label} title=${label} @click=${act}>${isOn ? ICONS.eye : ICONS.hidden}</button>`;
