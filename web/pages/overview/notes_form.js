// The forms of a run's notes: alias, labels, colour, note, hidden, archived. Every change is saved immediately.

import { html, nothing } from "lit-html";
import { areNotesOff, noteOf, noteProblems, saveErrors, saveNotes } from "../../data/notes/notes.js";
import { colourPicker } from "./colour_picker.js";
import { noteOn } from "./note.js";
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

/** All fields but the note itself, for the panel. @param {string} run */
export const notesForm = (run) =>
  areNotesOff.value
    ? nothing
    : html`<section class="notes-form" data-notes-of=${run}><h3>${t("notes.title")}</h3>
      ${problems(run)}${names(run)}${colourPicker(run, noteOf(run))}${switches(run)}</section>`;

/** What names and sorts a run, in a row below its title. @param {string} run */
export const namesForm = (run) =>
  areNotesOff.value
    ? nothing
    : html`<section class="notes-form in-row" data-notes-of=${run} aria-label=${t("notes.title")}>
      ${names(run)}${switches(run)}${problems(run)}</section>`;

/** The colour and the note, with the text to whom they are visible. @param {string} run */
export const noteForm = (run) =>
  areNotesOff.value
    ? nothing
    : html`<div class="notes-form"><h3>${t("notes.title")}</h3>
      ${colourPicker(run, noteOf(run))}${noteOn(run)}<p class="meta wrap">${t("notes.shared")}</p></div>`;

/** @param {string} run */
function problems(run) {
  const error = saveErrors.value.get(run);
  const [unread] = noteProblems.value;
  return html`
    ${error ? html`<p class="warning" role="alert">${t("notes.failed", { reason: error.message })}</p>` : nothing}
    ${unread === undefined ? nothing : html`<p class="warning">${t("notes.unread", { reason: unread })}</p>`}`;
}

/** @param {string} run */
const names = (run) => html`
  <label><span>${t("notes.alias")}</span>
    <input class="plain" name="alias" maxlength="200" autocomplete="off" placeholder=${t("notes.alias_hint")}
      .value=${noteOf(run).alias ?? ""}
      @change=${(/** @type {Event} */ event) => saveNotes(run, { alias: typed(event).trim() || null })}></label>
  <label><span>${t("notes.labels")}</span>
    <input class="plain" name="labels" autocomplete="off" placeholder=${t("notes.labels_hint")}
      .value=${noteOf(run).labels.join(", ")}
      @change=${(/** @type {Event} */ event) => saveNotes(run, { labels: parseLabels(typed(event)) })}></label>`;

/** @param {string} run */
const switches = (run) => html`<div class="switches">
  ${flag(run, "hidden", noteOf(run).hidden)}
  ${flag(run, "archived", noteOf(run).archived)}
</div>`;

/** The box follows the note, not the click: a change that is not saved is reverted.
 * @param {string} run @param {"hidden" | "archived"} name @param {boolean} checked */
const flag = (run, name, checked) => html`<label class="switch" title=${t(`notes.${name}_hint`)}>
  <input type="checkbox" name=${name} .checked=${checked} @change=${(/** @type {Event} */ event) =>
    saveNotes(run, { [name]: /** @type {HTMLInputElement} */ (event.target).checked })}>
  <span>${t(`notes.${name}`)}</span></label>`;
