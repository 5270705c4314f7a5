// The right-hand panel: a run's details, or the keyboard shortcuts.

import { html, nothing } from "lit-html";
import { ICONS } from "../controls/icons.js";
import { pluginCounts } from "../controls/plugin_counts.js";
import { nameOf } from "../controls/run_name.js";
import { isUnsupported } from "../controls/run_row.js";
import { recordingList, stateNotice } from "../controls/run_state_details.js";
import { stateMark, stateSentence } from "../controls/state_mark.js";
import { noteOf } from "../data/notes/notes.js";
import { OpenRun } from "../data/runs/run_details.js";
import { lastedOf, stateOf } from "../data/runs/run_state.js";
import { panel } from "../data/view/pointer.js";
import { change, view } from "../data/view/view.js";
import { grouped } from "../i18n/numbers.js";
import { duration, wallTime } from "../i18n/times.js";
import { t } from "../i18n/words.js";
import { notesForm } from "../pages/overview/notes_form.js";
import { attemptLinks } from "../pages/overview/run/attempt_links.js";
import { keyList } from "./shortcuts.js";

const openRun = new OpenRun(() => (panel.value?.kind === "run" ? panel.value.run : ""));
export const followDetails = () => openRun.follow();

export function detailsPanel() {
  const shown = panel.value;
  if (!shown) return nothing;
  const row = openRun.details.value;
  const title = shown.kind === "run" ? nameOf(shown.run) : t("keys.title");
  return html`
    <header><h2>${title}</h2>
      <button class="quiet" title=${t("panel.close")} aria-label=${t("panel.close")}
        @click=${() => (panel.value = null)}>${ICONS.close}</button>
    </header>
    ${
      shown.kind === "keys"
        ? keyList()
        : row
          ? details(row)
          : html`<p class="hint">${t("run.gone")} ${t("run.gone_more")}</p>`
    }`;
}

/** @param {import("../data/client/api_types.js").RunDetails} row */
function details(row) {
  const lasted = lastedOf(row);
  return html`
  <p class="panel-page"><button class="text" data-key="run-page" @click=${() =>
    change({ page: "overview", own: { ...view.peek().own, "over.run": row.run } })}>${t("run.page")} ›</button></p>
  ${noteOf(row.run).alias ? html`<p class="run-path">${row.run}</p>` : nothing}
  <p class="state-sentence">${stateMark(stateOf(row))}<span>${stateSentence(row)}</span></p>
  ${stateNotice(row)}
  ${
    row.damaged_records
      ? html`<p class="warning">${ICONS.warning}<span>${t("panel.damaged", { n: row.damaged_records })}</span></p>`
      : nothing
  }
  ${
    row.stale
      ? html`<p class="warning" data-note="stale">${ICONS.warning}<span>${t("rail.stale", { reason: row.stale })}</span></p>`
      : nothing
  }
  <dl>
    ${row.started === null ? nothing : entry(t("panel.started"), wallTime(row.started))}
    ${row.updated === null ? nothing : entry(t("panel.updated"), wallTime(row.updated))}
    ${lasted === null ? nothing : entry(t("panel.lasted"), duration(lasted))}
    ${
      row.first_step === null || row.last_step === null
        ? nothing
        : entry(t("panel.steps"), `${grouped(row.first_step)} – ${grouped(row.last_step)}`)
    }
    ${entry(t("panel.ranks", { n: row.ranks.length }), row.ranks.join(", "))}
    ${row.attempts > 1 ? entry(t("panel.attempts"), attemptLinks(row)) : nothing}
    ${entry(t("panel.dialect"), row.dialect === "mindspore" ? "MindSpore" : "TensorBoard")}
    ${entry(t("panel.series"), pluginCounts(row, (plugin) => !isUnsupported(plugin)) || "0")}
  </dl>
  ${
    pluginCounts(row, isUnsupported)
      ? html`<p class="hint">${t("panel.also", { found: pluginCounts(row, isUnsupported) })}</p>`
      : nothing
  }
  ${recordingList(row)}
  ${notesForm(row.run)}`;
}

/** @param {string} name @param {unknown} value */
const entry = (name, value) => html`<dt>${name}</dt><dd>${value}</dd>`;
