// The editor beside the panels: the settings of the workspace, a section or a panel. Every change is applied at once.

import { html, nothing } from "lit-html";
import { ICONS } from "../../../controls/icons.js";
import { PANEL_KINDS } from "../../../data/workspaces/workspace_check.js";
import { workspaceDocument } from "../../../data/workspaces/workspace_document.js";
import { resolved } from "../model/cascade.js";
import { changePanel, changeSection, withSetting } from "../model/edit.js";
import { titleOf } from "../model/titles.js";
import { edit, editing } from "../state.js";
import { t } from "../words.js";
import { selectField, textField } from "./fields.js";
import { FORMS, inheritedFields } from "./forms.js";
import { pageForm } from "./page_forms.js";

/** @typedef {import("../state.js").Edited} Edited */
/** @typedef {import("../../../data/workspaces/workspace_check.js").WorkspaceDocument} WorkspaceDocument */
/** What a form edits. `own`: the settings of the level; `get`: those and inherited ones, with the level that has them.
 * @typedef {object} Target
 * @property {"workspace" | "section" | "panel"} level
 * @property {import("../../../data/workspaces/workspace_check.js").Settings} own
 * @property {(name: string) => import("../model/cascade.js").Resolved} get
 * @property {(name: string, value: unknown) => void} put undefined = inherited or default
 */

/** @param {Edited} edited */
export function editor(edited) {
  const document = workspaceDocument.value;
  const target = targetOf(edited, document);
  const close = () => (editing.value = null);
  const title = t(`ws.edit_${edited.level}`);
  return html`<section class="ws-editor" role="dialog" aria-label=${title} data-level=${edited.level}
    @keydown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    }}>
    <header><h2>${title}</h2><button class="quiet" data-key="close-editor" title=${t("ws.done")} aria-label=${t("ws.done")}
      @click=${close}>${ICONS.close}</button></header>
    <div class="ws-fields">
      ${edited.level === "panel" ? panelFields(edited, document, target) : nothing}
      ${edited.level === "section" ? sectionName(edited.section, document) : nothing}
      ${edited.level === "panel" ? nothing : html`<p class="hint">${t(`ws.edit_${edited.level}_more`)}</p>${inheritedFields(target)}`}
    </div>
  </section>`;
}

/** @param {number} at @param {WorkspaceDocument} document */
const sectionName = (at, document) =>
  textField("name", t("ws.name"), document.sections[at].name, (name) =>
    edit(changeSection(workspaceDocument.peek(), at, { name })),
  );

/** @param {{section: number, at: number}} edited @param {WorkspaceDocument} document @param {Target} target */
function panelFields({ section, at }, document, target) {
  const panel = document.sections[section].panels[at];
  const { title = "", ...others } = panel.settings;
  return html`
    ${selectField(
      "kind",
      t("ws.kind"),
      PANEL_KINDS.map((kind) => [kind, t(/** @type {"ws.kind_lines"} */ (`ws.kind_${kind}`))]),
      panel.kind,
      (kind) => edit(changePanel(workspaceDocument.peek(), section, at, { kind })),
    )}
    ${textField("title", t("ws.title"), String(title), (text) => target.put("title", text || undefined), {
      placeholder: titleOf({ ...panel, settings: others }),
    })}
    <div class="ws-own">${FORMS[panel.kind]?.(target) ?? pageForm(panel.kind, target)}</div>`;
}

/** @param {Edited} edited @param {WorkspaceDocument} document @returns {Target} */
function targetOf(edited, { settings, sections }) {
  const section = edited.level === "workspace" ? {} : sections[edited.section].settings;
  const panel = edited.level === "panel" ? sections[edited.section].panels[edited.at].settings : {};
  const own = edited.level === "workspace" ? settings : edited.level === "section" ? section : panel;
  return {
    level: edited.level,
    own,
    // A level's own settings count as its own, whichever names cascade.
    get: (name) =>
      Object.hasOwn(own, name) ? { value: own[name], from: edited.level } : resolved(name, settings, section, panel),
    put: (name, value) => {
      const document = workspaceDocument.peek();
      edit(
        withSettings(document, edited, withSetting(settingsOf(document, edited), name, value)),
        `${JSON.stringify(edited)} ${name}`,
      );
    },
  };
}

/** @param {WorkspaceDocument} document @param {Edited} edited */
function settingsOf({ settings, sections }, edited) {
  if (edited.level === "workspace") return settings;
  const section = sections[edited.section];
  return edited.level === "section" ? section.settings : section.panels[edited.at].settings;
}

/** @param {WorkspaceDocument} document @param {Edited} edited
 * @param {import("../../../data/workspaces/workspace_check.js").Settings} settings @returns {WorkspaceDocument} */
function withSettings(document, edited, settings) {
  if (edited.level === "workspace") return { ...document, settings };
  if (edited.level === "section") return changeSection(document, edited.section, { settings });
  return changePanel(document, edited.section, edited.at, { settings });
}
