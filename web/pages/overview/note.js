// The note on a run: rendered Markdown, or a field to edit it.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { formatted } from "../../controls/markdown/text_body.js";
import { noteOf, saveNotes } from "../../data/notes/notes.js";
import { t } from "./words.js";

/** The run whose note is being edited. @type {import("@preact/signals-core").Signal<string | null>} */
const editedRun = signal(null);

/** An empty note is shown as a field.
 * @param {string} run */
export function noteOn(run) {
  const { note } = noteOf(run);
  return note && editedRun.value !== run ? shown(run, note) : field(run, note);
}

/** @param {string} run @param {string} note */
const shown = (run, note) => html`
  <section class="note" aria-label=${t("notes.note_title")}>
    <header><span>${t("notes.note_title")}</span><button type="button" class="text" data-key="edit-note"
      @click=${() => startEditing(run)}>${t("notes.edit")}</button></header>
    <div class="note-text text-body" tabindex="0">${formatted(note)}</div>
  </section>`;

/** @param {string} run @param {string} note */
const field = (run, note) => html`
  <label><span>${t("notes.note")}</span>
    <textarea class="plain" name="note" rows="8" maxlength="65536" placeholder=${t("notes.note_hint")} .value=${note}
      @change=${(/** @type {Event} */ event) =>
        finishEditing(run, /** @type {HTMLTextAreaElement} */ (event.target).value)}></textarea></label>
  ${
    note
      ? html`<p class="note-end"><button type="button" class="plain" data-key="end-note"
        @click=${() => (editedRun.value = null)}>${t("notes.done")}</button></p>`
      : nothing
  }`;

/** @param {string} run */
function startEditing(run) {
  editedRun.value = run;
  /** @type {HTMLElement | null} */ (document.querySelector('.notes-form [name="note"]'))?.focus();
}

/** @param {string} run @param {string} note */
function finishEditing(run, note) {
  editedRun.value = run;
  saveNotes(run, { note });
  // What was pressed, and so ended the editing, must not move before it is released.
  addEventListener("pointerup", () => setTimeout(() => (editedRun.value = null)), { once: true });
}
