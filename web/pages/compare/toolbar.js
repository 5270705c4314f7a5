// The compared runs, each with a button to remove it.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { runTitle } from "../../controls/card_parts.js";
import { choice } from "../../controls/choice.js";
import { ICONS } from "../../controls/icons.js";
import { nameOf } from "../../controls/run_name.js";
import { chosenToCompare, comparedRuns, compareRuns } from "../../data/runs/runs.js";
import { toggled } from "../../data/runs/selection.js";
import { change, selection } from "../../data/view/view.js";
import { layout, setLayout } from "./grid.js";
import { isAsking, openPicker } from "./picker.js";
import { t } from "./words.js";

export const toolbar = () =>
  isAsking()
    ? nothing
    : html`
  <div class="compared" role="list"
    aria-label=${t("compare.runs")}>${repeat(comparedRuns.value, (run) => run, chip)}</div>
  <span class="space"></span>
  ${choice(
    "layout",
    t("compare.layout"),
    [
      ["columns", t("compare.columns"), t("compare.columns_hint")],
      ["rows", t("compare.rows"), t("compare.rows_hint")],
    ],
    layout.value,
    setLayout,
  )}
  <button class="plain" data-key="choose-runs" @click=${openPicker}>${t("compare.choose")}</button>`;

/** @param {string} run */
function chip(run) {
  const name = nameOf(run);
  return html`<span class="compared-run" role="listitem" data-run=${run}
    title=${name}>${runTitle(run)}
    <button class="quiet" title=${t("compare.take_out")} aria-label=${`${t("compare.take_out")}: ${name}`}
      @click=${() => remove(run)}>${ICONS.close}</button></span>`;
}

/** Takes a run out of the comparison: of chosen runs, or by hiding it. @param {string} run */
function remove(run) {
  if (chosenToCompare.peek().length) compareRuns(comparedRuns.peek().filter((other) => other !== run));
  else change({ selection: toggled(selection.peek(), run) });
}
