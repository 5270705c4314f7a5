// The form of a run's notes: alias, labels, colour, note, hidden, archived. Every change is saved immediately.

import { html, nothing } from "lit-html";
import { areNotesOff, noteOf, noteProblems, saveErrors, saveNotes } from "../../data/notes.js";
import { colourPicker } from "./colour_picker.js";
import { t } from "./words.js";

/** @param {Event} event */
const typed = (event) => /** @type {HTMLInputElement} */ (event.target).value;

/** @param {string} text "a, b" @returns {string[]} */
const parseLabels = (text) => [
  ...new Set(
    text
      .split(/[,，]/)
      .map((label) => label.trim())
      .filter(Boolean),
  ),
];

/** @param {string} run @param {unknown} [note] the field of its note, if there is room */
export function notesForm(run, note = nothing) {
  if (areNotesOff.value) return nothing;
  const current = noteOf(run);
  const error = saveErrors.value.get(run);
  const isProblem = noteProblems.value.length > 0;
  return html`
    <section class="notes-form" data-notes-of=${run}>
      <h3>${t("notes.title")}</h3>
      ${error ? html`<p class="warning" role="alert">${t("notes.failed", { reason: error.message })}</p>` : nothing}
      ${isProblem ? html`<p class="warning">${t("notes.unread", { reason: noteProblems.value[0] })}</p>` : nothing}
      <label><span>${t("notes.alias")}</span>
        <input class="plain" name="alias" maxlength="200" autocomplete="off" placeholder=${t("notes.alias_hint")}
          .value=${current.alias ?? ""}
          @change=${(/** @type {Event} */ event) => saveNotes(run, { alias: typed(event).trim() || null })}></label>
      <label><span>${t("notes.labels")}</span>
        <input class="plain" name="labels" autocomplete="off" placeholder=${t("notes.labels_hint")}
          .value=${current.labels.join(", ")}
          @change=${(/** @type {Event} */ event) => saveNotes(run, { labels: parseLabels(typed(event)) })}></label>
      ${colourPicker(run, current)}
      ${note}
      <div class="switches">
        ${flag(run, "hidden", current.hidden)}
        ${flag(run, "archived", current.archived)}
      </div>
      ${note !== nothing ? html`<p class="meta wrap">${t("notes.shared")}</p>` : nothing}
    </section>`;
}

/** The box follows the note, not the click: a change that is not saved is reverted.
 * @param {string} run @param {"hidden" | "archived"} name @param {boolean} checked */
const flag = (run, name, checked) => html`<label class="switch" title=${t(`notes.${name}_hint`)}>
  <input type="checkbox" name=${name} .checked=${checked} @change=${(/** @type {Event} */ event) =>
    saveNotes(run, { [name]: /** @type {HTMLInputElement} */ (event.target).checked })}>
  <span>${t(`notes.${name}`)}</span></label>`;
