// The toolbar: add, settings, undo, and where the workspace comes from and goes to.

import { html, nothing } from "lit-html";
import { workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { openAddMenu } from "./add_menu.js";
import { fileButton } from "./file_menu.js";
import { ICONS } from "./icons.js";
import { addSection } from "./model/edit.js";
import { canRedo, canUndo, editing, notice, rearrange, redo, undo } from "./state.js";
import { t } from "./words.js";

export const toolbar = () => html`
  <button class="plain primary" data-key="add-panel" @click=${(/** @type {MouseEvent} */ event) => openAddMenu(-1, event)}>${ICONS.add}${t("ws.add_panel")}</button>
  <button class="plain" data-key="add-section" @click=${() => {
    const { sections } = workspaceDocument.peek();
    rearrange(addSection(workspaceDocument.peek(), t("ws.section_n", { n: sections.length + 1 })));
    editing.value = { level: "section", section: sections.length };
  }}>${t("ws.add_section")}</button>
  <button class="plain" data-key="workspace-settings" @click=${() => (editing.value = { level: "workspace" })}>${ICONS.settings}${t("ws.settings")}</button>
  ${fileButton()}
  <span class="space"></span>
  <span class="ws-notice" role="status">${
    notice.value
      ? html`<span>${notice.value.text}</span>${
          notice.value.canUndo && canUndo.value
            ? html`<button class="text" data-key="undo-removal" @click=${undo}>${t("ws.undo")}</button>`
            : nothing
        }`
      : nothing
  }</span>
  <span class="ws-history"><button class="quiet" data-key="undo" ?disabled=${!canUndo.value} title=${t("ws.undo_hint")} aria-label=${t("ws.undo")} @click=${undo}>${ICONS.undo}</button>
  <button class="quiet" data-key="redo" ?disabled=${!canRedo.value} title=${t("ws.redo_hint")} aria-label=${t("ws.redo")} @click=${redo}>${ICONS.redo}</button></span>`;
