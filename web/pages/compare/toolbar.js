// The compared runs, each with a button to remove it.

import { html } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS, swatch } from "../../controls/icons.js";
import { runName } from "../../controls/run_name.js";
import { nameOf } from "../../controls/run_row.js";
import { DASHES } from "../../data/run_styles.js";
import { comparedRuns, styles } from "../../data/runs.js";
import { toggled } from "../../data/selection.js";
import { change, selection } from "../../data/view.js";
import { t } from "./words.js";

export const toolbar = () => html`
  <div class="compared" role="list"
    aria-label=${t("compare.runs")}>${repeat(comparedRuns.value, (run) => run, chip)}</div>
  <span class="space"></span>
  <button class="plain" data-key="choose-runs"
    @click=${() => change({ page: "overview" })}>${t("compare.choose")}</button>`;

/** @param {string} run */
function chip(run) {
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const name = nameOf(run);
  return html`<span class="compared-run" role="listitem" data-run=${run}
    title=${name}>${swatch(style, DASHES[style.dash])}
    ${runName(run)}
    <button class="quiet" title=${t("compare.take_out")} aria-label=${`${t("compare.take_out")}: ${name}`}
      @click=${() => change({ selection: toggled(selection.peek(), run) })}>${ICONS.close}</button></span>`;
}
