// The workspace page: sections of panels that the user composes.

import { computed, effect } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { empty, noneDrawn, noRuns } from "../../controls/empty_state.js";
import { tagKinds } from "../../controls/panel_kinds.js";
import { stopAll } from "../../data/client/stop_all.js";
import { isSearched } from "../../data/runs/run_search.js";
import { drawnRuns } from "../../data/runs/runs.js";
import { followStepMetrics } from "../../data/series/step_metrics.js";
import { keepSettings, withValues } from "../../data/view/view.js";
import { documentError, workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { addMenu, openAddMenu } from "./add_menu.js";
import { editor } from "./editor/editor.js";
import { followFocus } from "./editor/focus.js";
import { fileMenu, sources, startFromMetrics } from "./file_menu.js";
import { followLayouts } from "./layouts.js";
import { textsIn } from "./model/page_settings.js";
import { panelMenu } from "./panel_menu.js";
import { followRunValues } from "./panels/run_values.js";
import { sections } from "./sections.js";
import { edit, editing, exists, redo, shrink, undo } from "./state.js";
import { t } from "./words.js";

export { toolbar } from "./toolbar.js";

export const content = () =>
  noRuns() ??
  html`<div class="workspace">
  ${documentError.value ? html`<p class="warning" role="alert">${t("ws.invalid", { reason: documentError.value })}</p>` : nothing}
  ${isNothingDrawn() ? noneDrawn() : workspaceDocument.value.sections.length ? sections() : start()}
  ${editing.value && exists(editing.value, workspaceDocument.value) ? editor(editing.value) : nothing}
  ${addMenu()}${panelMenu()}${fileMenu()}
</div>`;

/** Without runs, as after a search without a match, one message is enough for all panels. */
const isNothingDrawn = () => workspaceDocument.value.sections.length > 0 && isSearched.value && !drawnRuns.value.length;

const start = () =>
  empty(
    "empty_workspace",
    t("ws.empty"),
    t("ws.empty_more"),
    html`<div class="ws-start">
      <button class="primary" data-key="start" @click=${startFromMetrics}>${t("ws.from_metrics")}</button>
      <button class="plain" data-key="start-add" @click=${(/** @type {MouseEvent} */ event) => openAddMenu(-1, event)}>${t("ws.add_panel")}</button>
    </div><div class="ws-sources">${sources()}</div>`,
  );

/** Escape leaves an enlarged panel. Undo and redo, except in fields, which have their own.
 * @param {KeyboardEvent} event */
function followKeys(event) {
  const isCovered = editing.peek() || document.querySelector(":popover-open, dialog[open]");
  if (event.key === "Escape" && !isCovered && shrink()) return event.stopImmediatePropagation();
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  if (event.target instanceof HTMLElement && event.target.closest("input, textarea, select")) return;
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  if (key === "y" || event.shiftKey) redo();
  else undo();
}

/** The settings of pages that all panels of a kind share.
 * @type {import("../../data/view/view.js").Keeper} */
const SHARED_SETTINGS = {
  values: computed(() => textsIn(workspaceDocument.value.settings)),
  set: (values) => {
    const now = workspaceDocument.peek();
    edit({ ...now, settings: withValues(now.settings, values) }, "page settings");
  },
};

export const follow = () =>
  stopAll([
    followLayouts(),
    followRunValues(),
    followStepMetrics(),
    followFocus(),
    ...[...tagKinds.values()].map(({ prefix }) => keepSettings(prefix, SHARED_SETTINGS)),
    effect(() => {
      document.addEventListener("keydown", followKeys, true);
      return () => document.removeEventListener("keydown", followKeys, true);
    }),
    () => (editing.value = null),
  ]);

/** @type {import("../../controls/page.js").KeyRow[]} */
export const KEYS = [
  [["Ctrl", "Z"], () => t("ws.keys_undo")],
  [["Ctrl", "Shift", "Z"], () => t("ws.keys_redo")],
  [["←", "→", "↑", "↓"], () => t("ws.keys_move")],
  [["Shift", "←", "→", "↑", "↓"], () => t("ws.keys_resize")],
];
