// The boxes and switches of rows, groups and the whole table: which runs are marked, and which are shown in charts.

import { html } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { runs } from "../../data/runs/catalogue.js";
import { markAll, marked, markRange, toggleMark } from "../../data/runs/marked_runs.js";
import { isShown, switched, toggled } from "../../data/runs/selection.js";
import { change, selection } from "../../data/view/view.js";
import { t } from "../../i18n/words.js";
import { ICONS } from "../icons.js";
import { nameOf } from "../run_name.js";

/** Returns a function that counts the runs in a set, once for each set, as lists of runs never change.
 * @template {object} Key @param {(key: Key, run: string) => boolean} isIn */
function counter(isIn) {
  /** @type {WeakMap<readonly string[], {key: Key, count: number}>} */
  const counts = new WeakMap();
  return (/** @type {readonly string[]} */ names, /** @type {Key} */ key) => {
    const known = counts.get(names);
    if (known?.key === key) return known.count;
    const count = names.reduce((sum, run) => sum + (isIn(key, run) ? 1 : 0), 0);
    counts.set(names, { key, count });
    return count;
  };
}

/** @type {(names: readonly string[], chosen: import("../../data/runs/selection.js").Selection) => number} */
const shownIn = counter(isShown);
/** @type {(names: readonly string[], runs: ReadonlySet<string>) => number} */
const markedIn = counter((/** @type {ReadonlySet<string>} */ runs, run) => runs.has(run));

/** Returns how many of some runs are visible. @param {readonly string[]} names */
export function countShown(names) {
  const chosen = selection.value;
  if (!chosen.runs.size) return chosen.mode === "hide" ? names.length : 0;
  return shownIn(names, chosen);
}

/** The box that marks a run, with the shift key a range. @param {string} run @param {() => readonly string[]} names of
 * all rows in order */
export const markBox = (run, names) => html`<input type="checkbox" class="mark-run"
  .checked=${live(marked.value.has(run))} aria-label=${t("rail.mark_run", { run: nameOf(run) })}
  @click=${(/** @type {MouseEvent} */ { shiftKey }) => (shiftKey ? markRange(names(), run) : toggleMark(run))}>`;

/** The box that marks several runs. @param {readonly string[]} names @param {string} label */
export function markAllBox(names, label) {
  const count = marked.value.size ? markedIn(names, marked.value) : 0;
  const toggle = () => markAll(names, count < names.length);
  return html`<input type="checkbox" class="mark-run" .checked=${live(count > 0 && count === names.length)}
    .indeterminate=${live(count > 0 && count < names.length)} aria-label=${label} title=${label} @change=${toggle}>`;
}

/** The switch that shows a run in charts. @param {string} run */
export const showSwitch = (run) =>
  eye(isShown(selection.value, run), t("rail.draw", { run: nameOf(run) }), () =>
    change({ selection: toggled(selection.peek(), run) }),
  );

/** The switch that shows several runs in charts. @param {readonly string[]} names @param {string} label */
export function showAllSwitch(names, label) {
  const shown = countShown(names);
  return eye(shown > 0, label, () =>
    change({ selection: switched(selection.peek(), names, shown < names.length, runs.peek().length) }),
  );
}

/** @param {boolean} isOn @param {string} label @param {() => void} act */
const eye = (isOn, label, act) => html`<button type="button" class="quiet eye" role="switch" aria-checked=${isOn}
  aria-label=${label} title=${label} @click=${act}>${isOn ? ICONS.eye : ICONS.hidden}</button>`;
