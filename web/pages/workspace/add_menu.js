// The menu of the kinds of panels to add.

import { signal } from "@preact/signals-core";
import { html } from "lit-html";
import { pageKinds } from "../../controls/panel_kinds.js";
import { openAt, popover } from "../../controls/popover.js";
import { PANEL_KINDS } from "../../data/workspaces/workspace_check.js";
import { workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { addPanel, addSection, changeSection } from "./model/edit.js";
import { editing, rearrange } from "./state.js";
import { t } from "./words.js";

const ID = "add-panel";
/** The section that gets the panel; -1 = the last one. */
const into = signal(-1);

/** @param {number} section -1 = the last one @param {MouseEvent} event */
export function openAddMenu(section, event) {
  into.value = section;
  openAt(ID, event);
}

export const addMenu = () =>
  popover(
    { id: ID, label: t("ws.add_panel") },
    html`<div class="menu-rows add-kinds">${PANEL_KINDS.map(
      (kind) =>
        html`<button data-kind=${kind} @click=${() => add(kind)}><span>${t(
          /** @type {"ws.kind_lines"} */ (`ws.kind_${kind}`),
        )}</span><small>${t(/** @type {"ws.kind_lines_hint"} */ (`ws.kind_${kind}_hint`))}</small></button>`,
    )}</div>`,
  );

/** @type {Record<string, [w: number, h: number]>} */
const SIZES = { lines: [4, 3], bars: [4, 3], scatter: [4, 3], number: [2, 2], parallel: [12, 4], markdown: [4, 2] };
/** Of the kinds that pages draw. */
const PAGE_SIZE = /** @type {const} */ ([12, 6]);
const CARD_SIZE = /** @type {const} */ ([6, 4]);

/** @param {string} kind */
function add(kind) {
  document.getElementById(ID)?.hidePopover();
  const before = workspaceDocument.peek();
  const base = before.sections.length ? before : addSection(before, t("ws.first_section"));
  const section = into.peek() < 0 ? base.sections.length - 1 : into.peek();
  const opened = changeSection(base, section, { collapsed: false });
  const [w, h] = SIZES[kind] ?? (pageKinds.has(kind) ? PAGE_SIZE : CARD_SIZE);
  rearrange(addPanel(opened, section, kind, {}, w, h));
  editing.value = { level: "panel", section, at: opened.sections[section].panels.length };
}
