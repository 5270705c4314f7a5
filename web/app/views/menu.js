// The menu of saved views in the top bar.

import { computed, signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { save as saveFile } from "../../controls/download.js";
import { ICONS } from "../../controls/icons.js";
import { openAt, popover } from "../../controls/popover.js";
import {
  chooseDefault,
  exportViews,
  importViews,
  isChanged,
  openError,
  openedView,
  openView,
  removeView,
  renameView,
  saveView,
  ViewConflict,
  viewList,
  viewListError,
} from "../../data/view/saved_views.js";
import { wallTime } from "../../i18n/times.js";
import { isTextKey } from "../../i18n/words.js";
import { loadLater } from "../pages.js";
import { t } from "../words.js";
import { openConflict } from "./conflict.js";

/** @typedef {import("../../data/view/views_client.js").ViewRow} ViewRow */

const ID = "views-sheet";
const search = signal("");
const newName = signal("");
/** What went wrong, or what was done. */
const message = signal("");
/** The view that is to be deleted or renamed after another click. @type {import("@preact/signals-core").Signal<{row: ViewRow, act: "delete" | "rename"} | null>} */
const asked = signal(null);

const shownRows = computed(() => {
  const part = search.value.trim().toLowerCase();
  return (viewList.value?.views ?? []).filter(({ name }) => name.toLowerCase().includes(part));
});
const isReadOnly = computed(() => viewList.value?.read_only ?? false);

export const viewsButton = () => html`
  <button class="quiet views-switch" data-key="views" aria-haspopup="dialog" title=${buttonHint()} @click=${open}>
    ${ICONS.views}<span class="views-name">${openedView.value?.name ?? t("views.title")}</span>${
      isChanged.value ? html`<i class="changed-mark" role="img" aria-label=${t("views.changed")}></i>` : nothing
    }</button>
  ${popover({ id: ID, label: t("views.title") }, sheet())}`;

const buttonHint = () => (isChanged.value ? t("views.changed") : t("views.hint"));

/** @param {MouseEvent} event */
function open(event) {
  [message.value, asked.value, search.value] = ["", null, ""];
  newName.value = "";
  openAt(ID, event);
}

const hide = () => document.getElementById(ID)?.hidePopover();

/** Acts; shows what was refused. @param {() => Promise<void>} act */
async function attempt(act) {
  message.value = "";
  const answered = asked.peek();
  try {
    await act();
    if (asked.peek() === answered) asked.value = null; // Another question may have been asked meanwhile.
  } catch (error) {
    if (!(error instanceof ViewConflict)) return void (message.value = /** @type {Error} */ (error).message);
    hide();
    openConflict(error.message, error, attempt);
  }
}

/** @param {Event} event */
const textOf = ({ target }) => /** @type {HTMLInputElement} */ (target).value;

const sheet = () => html`<div class="views">
  ${
    viewList.value && viewList.value.views.length > 5
      ? html`<input class="views-search" type="search" aria-label=${t("views.search")} placeholder=${t("views.search")}
        .value=${search.value} @input=${(/** @type {Event} */ event) => (search.value = textOf(event))}>`
      : nothing
  }
  ${listed()}
  ${message.value || openError.value ? html`<p class="warning" role="alert">${message.value || openError.value}</p>` : nothing}
  ${viewList.value?.problems.map((problem) => html`<p class="warning">${problem}</p>`)}
  ${isReadOnly.value ? html`<p class="hint" data-note="read-only">${t("views.read_only")}</p>` : saving()}
  <hr>
  <div class="views-tools">
    ${isReadOnly.value ? nothing : importButton()}
    <button class="text" data-key="export" ?disabled=${!viewList.value?.views.length}
      @click=${() => attempt(async () => saveFile(new Blob([await exportViews()], { type: "application/json" }), "toposcope-views.json"))}
      >${t("views.export")}</button>
    <button class="text" data-key="snapshot" @click=${openSnapshot}>${t("snapshot.title")}…</button>
  </div></div>`;

async function openSnapshot() {
  hide();
  (await loadLater()).snapshots.openSnapshotDialog();
}

function listed() {
  if (viewListError.value)
    return html`<p class="warning">${t("views.failed", { reason: viewListError.value.message })}</p>`;
  if (!viewList.value) return nothing;
  if (!viewList.value.views.length) return html`<p class="hint">${t("views.none")}</p>`;
  return html`<ul class="views-list" aria-label=${t("views.title")}>
    ${repeat(shownRows.value, ({ name }) => name, row)}
    ${shownRows.value.length ? nothing : html`<li class="hint">${t("views.no_match")}</li>`}
  </ul>`;
}

/** @param {ViewRow} row */
const row = (
  row,
) => html`<li data-view=${row.name} aria-current=${openedView.value?.name === row.name ? "true" : nothing}>
  <button class="view-name" title=${wallTime(row.changed)} @click=${() =>
    attempt(async () => {
      await openView(row.name);
      hide();
    })}><span>${row.name}</span><small>${pageName(row.page)}</small></button>
  ${isReadOnly.value ? defaultNote(row) : actions(row)}
  ${asked.value?.row.name === row.name ? question(row, asked.value.act) : nothing}
</li>`;

/** @param {string} page */
const pageName = (page) => (isTextKey(`page.${page}`) ? t(/** @type {"page.scalars"} */ (`page.${page}`)) : page);

/** @param {ViewRow} row */
const isDefault = ({ name }) => viewList.value?.default === name;

/** @param {ViewRow} row */
const defaultNote = (row) => (isDefault(row) ? html`<small class="meta">${t("views.is_default")}</small>` : nothing);

/** @param {ViewRow} row */
function actions(row) {
  const title = t(isDefault(row) ? "views.unset_default" : "views.set_default");
  const ask = (/** @type {"delete" | "rename"} */ act) => () => (asked.value = { row, act });
  return html`
    <button class="quiet" data-key="default" aria-pressed=${isDefault(row)} title=${title} aria-label=${`${title}: ${row.name}`}
      @click=${() => attempt(() => chooseDefault(isDefault(row) ? null : row.name))}>${ICONS.star}</button>
    <button class="quiet" data-key="rename" title=${t("views.rename")} aria-label=${`${t("views.rename")}: ${row.name}`}
      @click=${ask("rename")}>${ICONS.pencil}</button>
    <button class="quiet" data-key="delete" title=${t("views.delete")} aria-label=${`${t("views.delete")}: ${row.name}`}
      @click=${ask("delete")}>${ICONS.trash}</button>`;
}

/** @param {ViewRow} row @param {"delete" | "rename"} act */
const question = (row, act) =>
  act === "delete"
    ? html`<p class="view-question"><span>${t("views.delete_sure")}</span>
        <button class="plain" data-key="sure" @click=${() => attempt(() => removeView(row))}>${t("views.delete")}</button>
        <button class="plain" data-key="cancel" @click=${() => (asked.value = null)}>${t("snapshot.cancel")}</button></p>`
    : html`<form class="view-question" @submit=${(/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const name = nameIn(event);
        void attempt(() => renameView(row, name));
      }}>
        <input name="name" required maxlength="200" aria-label=${t("views.new_name")} .value=${row.name}>
        <button class="plain">${t("views.rename")}</button></form>`;

/** @param {SubmitEvent} event */
const nameIn = (event) => String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("name")).trim();

/** Saving the opened view, and saving under a new name. */
function saving() {
  const current = openedView.value;
  return html`${
    current
      ? html`<button class="plain" data-key="save" ?disabled=${!isChanged.value}
        @click=${() => attempt(() => saveView(current.name, current.version))}>${t("views.save", { name: current.name })}</button>`
      : nothing
  }
  <form class="views-save" @submit=${(/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const name = nameIn(event);
    void attempt(async () => {
      await saveView(name, null);
      newName.value = "";
    });
  }}>
    <input name="name" required maxlength="200" autocomplete="off" placeholder=${t("views.new_name")} aria-label=${t("views.new_name")}
      .value=${newName.value} @input=${(/** @type {Event} */ event) => (newName.value = textOf(event))}>
    <button class="plain" data-key="save-as" ?disabled=${!newName.value.trim()}>${t("views.save_as")}</button>
  </form>`;
}

const importButton = () => html`<label class="text import-views">${t("views.import")}
  <input type="file" class="in-words" accept=".json,application/json" @change=${(/** @type {Event} */ { target }) => {
    const field = /** @type {HTMLInputElement} */ (target);
    const file = field.files?.[0];
    field.value = "";
    if (file) void attempt(() => importFile(file));
  }}></label>`;

/** @param {File} file */
async function importFile(file) {
  const { added, existing } = await importViews(await file.text());
  message.value = existing.length
    ? t("views.imported_some", { n: added.length, names: existing.join(", ") })
    : t("views.imported", { n: added.length });
}
