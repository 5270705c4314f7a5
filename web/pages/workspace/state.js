// The workspace that is shown: its edits, undo and redo, the open editor, and notices.

import { computed, signal } from "@preact/signals-core";
import { setYRange, yRanges } from "../../data/series/ranges.js";
import { change as changeView, set, setting, zooms } from "../../data/view/view.js";
import { changeDocument, workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { edited, emptyHistory, redone, undone } from "./model/history.js";

/** @typedef {import("../../data/workspaces/workspace_check.js").WorkspaceDocument} WorkspaceDocument */
/** What the editor changes: the settings of the workspace, of a section, or of a panel.
 * @typedef {{level: "workspace"} | {level: "section", section: number} | {level: "panel", section: number, at: number}}
 * Edited */

/** @type {import("@preact/signals-core").Signal<import("./model/history.js").History<WorkspaceDocument>>} */
const history = signal(emptyHistory());
const isCurrent = computed(() => history.value.present === workspaceDocument.value);
export const canUndo = computed(() => isCurrent.value && history.value.past.length > 0);
export const canRedo = computed(() => isCurrent.value && history.value.future.length > 0);

/** What the editor shows; null = it is closed. @type {import("@preact/signals-core").Signal<Edited | null>} */
export const editing = signal(null);

/** What was done, and whether it can be undone.
 * @type {import("@preact/signals-core").Signal<{text: string, canUndo: boolean} | null>} */
export const notice = signal(null);
/** Milliseconds for which a notice is shown. */
const SHOWN = 12_000;

/** @param {string} text @param {boolean} [canBeUndone] */
export function announce(text, canBeUndone = false) {
  const next = { text, canUndo: canBeUndone };
  notice.value = next;
  setTimeout(() => notice.peek() === next && (notice.value = null), SHOWN);
}

/** @param {WorkspaceDocument} next @param {string} [what] edits of the same are undone together */
export function edit(next, what = "") {
  const before = workspaceDocument.peek();
  if (next === before) return;
  history.value = edited(history.peek(), before, next, what);
  notice.value = null;
  changeDocument(next);
}

/** An edit that changes which panel is where: zooms, which belong to places, end.
 * @param {WorkspaceDocument} next @param {string} [what] */
export function rearrange(next, what = "") {
  const others = Object.entries(zooms.peek()).filter(([name]) => !name.startsWith(ZOOM));
  changeView({ zooms: Object.fromEntries(others) });
  for (const name of yRanges.peek().keys()) if (name.startsWith(ZOOM)) setYRange(name, [null, null]);
  shrink();
  editing.value = null;
  edit(next, what);
}

const opened = setting("ws.open", /** @type {string} */ (""));
/** @param {number} section @param {number} at */
const nameOf = (section, at) => `${section}.${at}`;
/** Does a panel fill the page? @param {number} section @param {number} at */
export const isEnlarged = (section, at) => opened.value === nameOf(section, at);
/** @param {number} section @param {number} at */
export const toggleEnlarged = (section, at) => set({ "ws.open": isEnlarged(section, at) ? "" : nameOf(section, at) });
/** Returns whether a panel filled the page. */
export function shrink() {
  if (!opened.peek()) return false;
  set({ "ws.open": "" });
  return true;
}

const ZOOM = "panel ";
/** The name of the zoom of a panel. @param {number} section @param {number} at */
export const zoomName = (section, at) => `${ZOOM}${section} ${at}`;

export const undo = () => canUndo.peek() && travel(undone(history.peek()));
export const redo = () => canRedo.peek() && travel(redone(history.peek()));

/** @param {import("./model/history.js").History<WorkspaceDocument>} next */
function travel(next) {
  if (!next.present) return;
  history.value = next;
  notice.value = null;
  if (!exists(editing.peek(), next.present)) editing.value = null;
  changeDocument(next.present);
}

/** @param {Edited | null} edited @param {WorkspaceDocument} document */
export function exists(edited, { sections }) {
  if (!edited || edited.level === "workspace") return true;
  const section = sections[edited.section];
  return Boolean(edited.level === "section" ? section : section?.panels[edited.at]);
}
