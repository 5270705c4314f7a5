// The page of one run: its names, problems, charts, hyperparameters, data, what was recorded about its process, a note.

import { html, nothing } from "lit-html";
import { alertRows, ruleOf } from "../../../controls/alert_list.js";
import { empty } from "../../../controls/empty_state.js";
import { ICONS, swatch } from "../../../controls/icons.js";
import { labelChips } from "../../../controls/label_chips.js";
import { nameOf } from "../../../controls/run_name.js";
import { recordingList, stateNotice } from "../../../controls/run_state_details.js";
import { stateMark, stateSentence } from "../../../controls/state_mark.js";
import { DASHES } from "../../../data/colours/run_styles.js";
import { alertsOf } from "../../../data/notes/alerts.js";
import { areNotesOff, noteOf } from "../../../data/notes/notes.js";
import { dialectName } from "../../../data/runs/dialects.js";
import { OpenRun } from "../../../data/runs/run_details.js";
import { lastedOf, stateOf } from "../../../data/runs/run_state.js";
import { detailCache } from "../../../data/runs/run_table.js";
import { styles } from "../../../data/runs/runs.js";
import { grouped, nonFinite } from "../../../i18n/numbers.js";
import { duration, wallTime } from "../../../i18n/times.js";
import { namesForm, noteForm } from "../notes_form.js";
import { openRun } from "../settings.js";
import { attemptLinks } from "./attempt_links.js";
import { machineTags } from "./chart_tags.js";
import { machineCharts, runCharts } from "./charts.js";
import { linkTo } from "./link.js";
import { tagsOf } from "./newest.js";
import { parameterSection } from "./parameters.js";
import { contentsList, runSection } from "./section.js";
import { runTiles } from "./tiles.js";
import "./console.js";
import "./code.js";
import "./environment.js";
import "./files.js";
import { t } from "../words.js";

/** @typedef {import("../../../data/client/api_types.js").RunDetails} RunDetails */
/** @typedef {import("../../../data/runs/run_table_client.js").OverviewRun} OverviewRun */

/** Damaged locations that are listed. */
const MAX_PLACES = 8;
/** The share of a run's steps that is shown around a non-finite value. */
const AROUND = 0.02;

const openDetails = new OpenRun(() => openRun.value);
export const followDetails = () => openDetails.follow();

/** @param {string} run */
export function runPage(run) {
  const listed = openDetails.details.value;
  const facts = detailCache.rows.value.get(run);
  return html`<article class="run-page" data-run=${run}>
    ${listed ? details(listed, facts) : empty("gone", t("run.gone"), html`${t("run.gone_more")} <code>${run}</code>`)}
  </article>`;
}

/** @param {RunDetails} listed @param {OverviewRun | undefined} facts */
const details = (listed, facts) => html`
  ${title(listed)}
  ${namesForm(listed.run)}
  ${stateNotice(listed)}
  ${alerts(listed.run)}
  ${facts?.first_bad ? nonFiniteNotice(listed, facts.first_bad) : nothing}
  ${
    listed.stale
      ? html`<p class="warning" data-note="stale">${ICONS.warning}<span>${t("rail.stale", { reason: listed.stale })}</span></p>`
      : nothing
  }
  ${listed.damaged_records ? damage(listed) : nothing}
  ${facts?.problems.map((problem) => html`<p class="warning">${ICONS.warning}<span>${problem}</span></p>`)}
  ${contentsList((name) => hasSection(listed, name))}
  ${runCharts(listed)}
  ${parameterSection(listed.run, facts?.hyper_parameters)}
  ${machineCharts(listed)}
  ${runSection("data", t("run.data"), runTiles(listed))}
  <run-console .run=${listed.run}></run-console>
  <run-environment .run=${listed.run} .ofLineage=${facts?.environment ?? {}}></run-environment>
  ${recordingList(listed)}
  <run-code .run=${listed.run}></run-code>
  <run-files .run=${listed.run}></run-files>
  <section class="run-section" data-section="notes" id="run-notes" tabindex="-1">${noteForm(listed.run)}</section>`;

/** @param {RunDetails} listed @param {import("./section.js").SectionName} name */
function hasSection({ run, plugins }, name) {
  if (name === "charts") return plugins.scalar > 0;
  if (name === "machine") return machineTags(tagsOf({ run }, "scalar")).length > 0;
  if (name === "console" || name === "environment" || name === "code") return plugins[name] > 0;
  return name !== "notes" || !areNotesOff.value;
}

/** @param {RunDetails} listed */
function title(listed) {
  const { run, started, updated } = listed;
  const style = styles.value.get(run) ?? { colour: 0, dash: 0 };
  const lasted = lastedOf(listed);
  const note = noteOf(run);
  return html`
    <header>
      <h2>${swatch(style, DASHES[style.dash])}<span class="leaf">${nameOf(run)}</span>
        ${
          note.archived
            ? html`<span class="meta">${t("notes.is_archived")}</span>`
            : note.hidden
              ? html`<span class="meta">${t("notes.is_hidden")}</span>`
              : nothing
        }
        ${labelChips(note.labels)}</h2>
      ${note.alias ? html`<p class="run-path">${run}</p>` : nothing}
      <p class="state-sentence">${stateMark(stateOf(listed))}<span>${stateSentence(listed)}</span></p>
      <p class="run-times">
        ${started === null ? nothing : fact(t("panel.started"), wallTime(started))}
        ${updated === null ? nothing : fact(t("panel.updated"), wallTime(updated))}
        ${lasted === null ? nothing : fact(t("panel.lasted"), duration(lasted))}
        ${
          listed.first_step === null
            ? nothing
            : fact(t("panel.steps"), `${grouped(listed.first_step)} – ${grouped(listed.last_step ?? 0)}`)
        }
        ${fact(t("panel.ranks", { n: listed.ranks.length }), listed.ranks.join(", "))}
        ${listed.attempts > 1 ? fact(t("panel.attempts"), attemptLinks(listed)) : nothing}
        ${fact(t("overview.col_dialect"), dialectName(listed.dialect))}
      </p>
    </header>`;
}

/** @param {string} name @param {unknown} value */
const fact = (name, value) => html`<span><span class="dim">${name}</span> ${value}</span>`;

/** Of trainings, rules and muted ones alike. @param {string} run */
function alerts(run) {
  const found = alertsOf(run);
  return found.length ? alertRows(found, { act: (act) => void act().catch(() => {}), of: ruleOf }) : nothing;
}

/** @param {RunDetails} listed @param {NonNullable<OverviewRun["first_bad"]>} bad */
function nonFiniteNotice(listed, { tag, step, value }) {
  const around = Math.max(5, ((listed.last_step ?? step) - (listed.first_step ?? step)) * AROUND);
  const zooms = { [tag]: /** @type {const} */ ([step - around, step + around]) };
  return html`<p class="warning bad-news" data-bad-step=${step} data-bad-tag=${tag}
    data-bad-value=${value}>${ICONS.warning}
    <span>${t("run.bad", { value: nonFinite(Number(value)) ?? value, step: grouped(step), tag })}</span>
    ${linkTo(
      listed.run,
      { page: "scalars", axis: "step", open: tag, tags: "", zooms },
      t("run.bad_look"),
      "bad-look",
    )}</p>`;
}

/** @param {RunDetails} listed */
const damage = ({ damaged_records: n, pending_records: pending, damage: places }) => html`
  <section class="warning damage"><div>
    <p>${ICONS.warning}<span>${t("panel.damaged", { n })}</span></p>
    <ul>${places
      .slice(0, MAX_PLACES)
      .map(
        ({ file, offset, reason }) =>
          html`<li data-offset=${offset}><code>${t("run.damage_place", { file, offset: grouped(offset) })}</code>: ${t(
            `run.damage_${reason}`,
          )}</li>`,
      )}
      ${n > MAX_PLACES ? html`<li>${t("run.damage_more", { n: n - MAX_PLACES })}</li>` : nothing}</ul>
    ${pending ? html`<p>${t("run.pending", { n: pending })}</p>` : nothing}
  </div></section>`;
