// The dialog for a view that someone else has changed meanwhile: both versions, and what to do.

import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { openDialog } from "../../controls/dialog.js";
import { saveView, show } from "../../data/view/saved_views.js";
import { differences } from "../../data/view/stored_address.js";
import { checkDocument, DocumentError } from "../../data/workspaces/workspace_check.js";
import { workspaceDifferences } from "../../data/workspaces/workspace_difference.js";
import { EMPTY_DOCUMENT } from "../../data/workspaces/workspace_document.js";
import { wallTime } from "../../i18n/times.js";
import { t } from "../words.js";

/** @param {string} name @param {import("../../data/view/saved_views.js").ViewConflict} conflict
 * @param {(act: () => Promise<void>) => Promise<void>} attempt shows errors, and this dialog for the next conflict */
export function openConflict(name, { current, yours }, attempt) {
  const other = signal(t("views.copy_of", { name }));
  const rows = [...differences(current.address, yours.address), ...panelRows(current.workspace, yours.workspace)];
  openDialog({ label: () => t("views.conflict", { name }), name: "conflict" }, (close) => {
    const choose = (/** @type {() => Promise<void> | void} */ act) => () => {
      close();
      void attempt(async () => act());
    };
    return html`<h2>${t("views.conflict", { name })}</h2>
      <p>${t("views.conflict_more", { time: wallTime(current.changed) })}</p>
      ${
        rows.length
          ? html`<div class="version-table" tabindex="0"><table>
            <thead><tr><th>${t("views.setting")}</th><th>${t("views.theirs")}</th><th>${t("views.mine")}</th></tr></thead>
            <tbody>${rows.map((row) => html`<tr><th>${row.name}</th><td>${row.theirs || "–"}</td><td>${row.mine || "–"}</td></tr>`)}</tbody>
          </table></div>`
          : html`<p>${t("views.same_address")}</p>`
      }
      <label class="dialog-field"><span>${t("views.other_name")}</span>
        <input name="name" .value=${other.value}
          @input=${(/** @type {Event} */ { target }) => (other.value = /** @type {HTMLInputElement} */ (target).value)}></label>
      <footer>
        <button class="plain" data-key="cancel" @click=${close}>${t("snapshot.cancel")}</button>
        <button class="plain" data-key="open-theirs" @click=${choose(() => show(current))}>${t("views.open_theirs")}</button>
        <button class="plain" data-key="overwrite"
          @click=${choose(() => saveView(name, current.version, yours))}>${t("views.overwrite")}</button>
        <button class="primary" data-key="save-other" ?disabled=${!other.value.trim() || other.value.trim() === name}
          @click=${choose(() => saveView(other.value.trim(), null, yours))}>${t("views.save_other")}</button>
      </footer>`;
  });
}

/** The sections and panels that differ. @param {object | null} theirs @param {object | null} mine */
function panelRows(theirs, mine) {
  try {
    const [a, b] = [theirs, mine].map((each) => checkDocument(each ?? EMPTY_DOCUMENT));
    return workspaceDifferences(a, b).map((row) => ({ ...row, name: row.name || t("views.workspace") }));
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return [{ name: t("views.workspace"), theirs: JSON.stringify(theirs), mine: JSON.stringify(mine) }];
  }
}
