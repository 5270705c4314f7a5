// The sections of a workspace: their headers, and a grid of panels in each that is open.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { grouped } from "../../i18n/numbers.js";
import { openAddMenu } from "./add_menu.js";
import { ICONS as OWN_ICONS } from "./icons.js";
import { apart, changeSection, deleteSection, dropPanel, moveSection, placePanels } from "./model/edit.js";
import { Keys } from "./model/keys.js";
import { panelFrame } from "./panel_frame.js";
import { announce, edit, editing, rearrange } from "./state.js";
import { t } from "./words.js";
import "./grid.js";

/** @typedef {import("../../data/workspaces/workspace_check.js").Section} Section */

const sectionKeys = new Keys();
/** @type {Map<string, Keys>} */
const panelKeys = new Map();

export function sections() {
  const { sections: all } = workspaceDocument.value;
  const keys = sectionKeys.of(all);
  return repeat(
    keys,
    (key) => key,
    (key, at) => section(all[at], at, key, all.length),
  );
}

/** @param {Section} section @param {number} at @param {string} key @param {number} count */
function section({ name, collapsed, panels }, at, key, count) {
  const title = name || t("ws.unnamed_section");
  const now = () => workspaceDocument.peek();
  return html`<section class="ws-section" data-section-at=${at} aria-label=${title}>
    <header>
      <h2><button class="group-switch" data-key="collapse" aria-expanded=${!collapsed}
        @click=${() => edit(changeSection(now(), at, { collapsed: !collapsed }), `collapse ${at}`)}>${ICONS.chevron}<span
        class=${name ? "" : "dimmed"}>${title}</span><span class="meta">${t("ws.panels", { n: grouped(panels.length) })}</span></button></h2>
      <div class="actions">
        ${action("add-here", t("ws.add_panel"), OWN_ICONS.add, (event) => openAddMenu(at, event))}
        ${action("section-settings", t("ws.section_settings"), ICONS.pencil, () => (editing.value = { level: "section", section: at }))}
        ${at ? action("section-up", t("ws.section_up"), OWN_ICONS.up, () => rearrange(moveSection(now(), at, at - 1))) : nothing}
        ${at < count - 1 ? action("section-down", t("ws.section_down"), OWN_ICONS.down, () => rearrange(moveSection(now(), at, at + 1))) : nothing}
        ${action("section-remove", t("ws.section_remove"), ICONS.trash, () => {
          rearrange(deleteSection(now(), at));
          announce(t("ws.removed", { name: title }), true);
        })}
      </div>
    </header>
    ${collapsed ? nothing : html`${panels.length ? nothing : empty(at)}${grid(panels, at, key)}`}
  </section>`;

  /** @param {string} key @param {string} label @param {unknown} icon @param {(event: MouseEvent) => void} act */
  function action(key, label, icon, act) {
    return html`<button class="quiet" data-key=${key} title=${label} aria-label=${`${label}: ${title}`} @click=${act}>${icon}</button>`;
  }
}

/** @param {readonly import("../../data/workspaces/workspace_check.js").Panel[]} panels @param {number} section @param {string} key */
function grid(panels, section, key) {
  const document = workspaceDocument.value;
  const known = panelKeys.get(key) ?? new Keys();
  panelKeys.set(key, known);
  const keys = known.of(panels);
  const items = apart(panels.map(({ x, y, w, h }) => ({ x, y, w, h }))).map((box, at) => ({
    key: keys[at],
    box,
    content: () => panelFrame(document, { section, at, key: keys[at] }),
  }));
  return html`<panel-grid data-section=${section} .moved=${(
    /** @type {import("./model/edit.js").Box[]} */ boxes,
    /** @type {string} */ gesture,
  ) => edit(placePanels(workspaceDocument.peek(), section, boxes), gesture)} .received=${(
    /** @type {{section: number, at: number}} */ from,
    /** @type {import("./model/edit.js").Box} */ box,
    /** @type {import("./model/edit.js").Box[]} */ boxes,
    /** @type {string} */ gesture,
  ) =>
    rearrange(dropPanel(workspaceDocument.peek(), from, section, box, boxes), gesture)} .items=${items}></panel-grid>`;
}

/** @param {number} at */
const empty = (at) => html`<p class="ws-empty-section hint">${t("ws.no_panels")}
  <button class="text" data-key="add-first" @click=${(/** @type {MouseEvent} */ event) => openAddMenu(at, event)}>${t("ws.add_panel")}</button></p>`;
