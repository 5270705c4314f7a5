// What is known about the end of a run: a notice, its error with the traceback, and each of its recordings.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { commonCommandLine, errorLine, orderedRecordings, processesOf, stateOf } from "../data/runs/run_state.js";
import { grouped } from "../i18n/numbers.js";
import { t } from "../i18n/words.js";
import { copyButton } from "./copy_button.js";
import { ICONS } from "./icons.js";
import { stateMark, stateSentence } from "./state_mark.js";

/** @typedef {import("../data/client/api_types.js").RunRow} RunRow */
/** @typedef {import("../data/client/api_types.js").RunDetails} RunDetails */
/** @typedef {import("../data/client/api_types.js").RunError} RunError */
/** @typedef {import("../data/client/api_types.js").Recording} Recording */

/** Recordings that are listed at first. */
const MAX_RECORDINGS = 8;
/** The run whose recordings are all listed. */
const expanded = signal("");

/** Why a run needs attention; empty if it does not.
 * @param {RunRow} row */
export function stateNotice(row) {
  const state = stateOf(row);
  if (row.error) return errorBox(row.error, state);
  if (state !== "lost" && state !== "stalled") return nothing;
  return html`<p class="warning" data-notice=${state}>${ICONS.warning}<span>${t(`state.about_${state}`)}</span></p>`;
}

/** @param {RunError} error @param {import("../data/client/api_types.js").RunState} state of the run: an interruption is no fault */
const errorBox = (error, state) => html`<section class="run-error" data-state=${state}>
  <header><strong>${error.type || t(`state.${state}`)}</strong>${copyButton(t("state.copy"), () => wholeError(error))}</header>
  ${error.text ? html`<p class="error-text" tabindex="0">${error.text}</p>` : nothing}
  ${traceback(error, t("state.traceback"))}
</section>`;

/** Python prints the type and the text at the end of a traceback. @param {RunError} error */
const wholeError = (error) => error.traceback || errorLine(error);

/** @param {RunError} error @param {string} title */
const traceback = (error, title) =>
  error.traceback
    ? html`<details class="traceback"><summary>${title}</summary>
      <pre tabindex="0">${error.traceback.trimEnd()}</pre></details>`
    : nothing;

/** The processes that recorded a run, each with its own state.
 * @param {Pick<RunDetails, "run" | "recordings" | "error">} row */
export function recordingList({ run, recordings, error }) {
  if (!recordings.length) return nothing;
  const ordered = orderedRecordings(processesOf(recordings));
  const isSingle = ordered.length === 1;
  const common = commonCommandLine(ordered);
  const shown = expanded.value === run ? ordered : ordered.slice(0, MAX_RECORDINGS);
  return html`<section class="recordings">
    <h3>${t("state.processes", { n: ordered.length })}</h3>
    ${common ? commandLine(common) : nothing}
    <ul>${shown.map((recording) => recordingRow(recording, { isSingle, label: labelOf(recording, ordered), hasOwnLine: common === null, error }))}</ul>
    ${
      shown.length < ordered.length
        ? html`<button class="text" data-key="all-recordings"
          @click=${() => (expanded.value = run)}>${t("state.all_processes", { n: grouped(ordered.length) })}</button>`
        : nothing
    }
  </section>`;
}

/** The state and the error of a single recording are those of its run.
 * @param {Recording} recording
 * @param {{isSingle: boolean, label: string, hasOwnLine: boolean, error: RunError | null}} of error: of the run */
function recordingRow(recording, { isSingle, label, hasOwnLine, error }) {
  const { rank, host, process_id: id, command_line: line } = recording;
  const state = stateOf(recording);
  const where = [host, id === null ? null : t("state.process", { id })].filter(Boolean).join(" · ");
  return html`<li data-rank=${rank} data-state=${state}>
    ${
      isSingle
        ? nothing
        : html`<p class="recording-state">${stateMark(state)}<span>${
            label ? html`<strong>${label}</strong> ` : nothing
          }${stateSentence(recording)}</span></p>`
    }
    ${where ? html`<p class="recording-place">${where}</p>` : nothing}
    ${line && hasOwnLine ? commandLine(line) : nothing}
    ${recording.error && !isSingle ? ownError(recording.error, error) : nothing}
  </li>`;
}

/** What distinguishes a recording from others of its run: "rank 2 · attempt 1".
 * @param {Recording} recording @param {readonly Recording[]} all */
function labelOf({ rank, attempt }, all) {
  const hasRanks = all.some((other) => other.rank !== rank);
  const hasAttempts = all.some((other) => other.attempt !== attempt);
  return [hasRanks ? t("card.rank", { rank }) : "", hasAttempts ? t("card.attempt", { attempt }) : ""]
    .filter(Boolean)
    .join(" · ");
}

/** The traceback of the run is not repeated.
 * @param {RunError} own @param {RunError | null} ofRun */
const ownError = (own, ofRun) =>
  own.traceback && own.traceback !== ofRun?.traceback
    ? traceback(own, errorLine(own))
    : html`<p class="recording-place">${errorLine(own)}</p>`;

/** @param {string} line */
const commandLine = (line) =>
  html`<code class="command-line" title=${t("state.command_line")} tabindex="0">${line}</code>`;
