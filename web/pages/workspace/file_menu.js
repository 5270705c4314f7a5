// The menu of the whole workspace: saved ones, layouts of TensorBoard, a new one, import and export.

import { html, nothing } from "lit-html";
import { fileName, save } from "../../controls/download.js";
import { openAt, popover } from "../../controls/popover.js";
import { Refusal } from "../../controls/refusal.js";
import { runCounts, runs } from "../../data/runs/catalogue.js";
import { openedView, openView, viewList } from "../../data/view/saved_views.js";
import { checkDocument } from "../../data/workspaces/workspace_check.js";
import { EMPTY_DOCUMENT, workspaceDocument } from "../../data/workspaces/workspace_document.js";
import { layoutProblems, layouts } from "./layouts.js";
import { startingDocument } from "./model/starting.js";
import { announce, rearrange } from "./state.js";
import { t } from "./words.js";

const ID = "workspace-menu";
const refusal = new Refusal();

export const fileButton = () =>
  html`<button class="plain" data-key="workspace-menu" aria-haspopup="dialog" @click=${(
    /** @type {MouseEvent} */ event,
  ) => {
    refusal.forget();
    openAt(ID, event);
  }}>${t("ws.open")}</button>`;

const close = () => document.getElementById(ID)?.hidePopover();

export const fileMenu = () =>
  popover(
    { id: ID, label: t("ws.open") },
    html`<div class="workspace-menu">
    ${sources()}
    <hr>
    <div class="menu-rows">
      <button data-key="new" @click=${() => replace(EMPTY_DOCUMENT, t("ws.emptied"))}>${t("ws.new")}</button>
      <button data-key="likely" @click=${startFromMetrics}>${t("ws.from_metrics")}</button>
      <label class="file-row">${t("ws.import")}<input type="file" class="in-words" accept=".json,application/json" @change=${importChosen}></label>
      <button data-key="export" @click=${exportDocument}>${t("ws.export")}</button>
    </div>
    ${refusal.note}
  </div>`,
  );

/** Saved workspaces and layouts, as rows of buttons. */
export function sources() {
  const saved = (viewList.value?.views ?? []).filter(({ page }) => page === "workspace");
  return html`
    ${
      saved.length
        ? html`<h2>${t("ws.saved")}</h2><div class="menu-rows">${saved.map(
            ({
              name,
            }) => html`<button data-saved=${name} aria-current=${openedView.value?.name === name ? "true" : nothing}
            @click=${() => open(name)}>${name}</button>`,
          )}</div>`
        : nothing
    }
    ${
      layouts.value.length
        ? html`<h2>${t("ws.layouts")}</h2><div class="menu-rows">${layouts.value.map(
            ({ run, runs: count, name, workspace }) => html`<button data-layout=${name} title=${run}
            @click=${() => openLayout(workspace, name)}>${name}<small>${count > 1 ? t("ws.of_runs", { n: count }) : run}</small></button>`,
          )}</div>`
        : nothing
    }
    ${layoutProblems.value.map((each) => html`<p class="hint">${each}</p>`)}`;
}

/** @param {string} name */
const open = (name) =>
  refusal.attempt(async () => {
    await openView(name);
    close();
  });

/** @param {unknown} workspace @param {string} name */
const openLayout = (workspace, name) =>
  refusal.attempt(() => replace(checkDocument(workspace), t("ws.opened", { name })));

/** @param {import("../../data/workspaces/workspace_check.js").WorkspaceDocument} document @param {string} message */
function replace(document, message) {
  close();
  rearrange(document);
  announce(message, true);
}

export function startFromMetrics() {
  const tags = [...runCounts.peek()].map(([tag, count]) => ({ tag, runs: count }));
  const names = { metrics: t("ws.section_metrics"), runs: t("ws.section_runs") };
  replace(startingDocument(tags, runs.peek().length, names), t("ws.started"));
}

/** @param {Event} event */
function importChosen({ target }) {
  const field = /** @type {HTMLInputElement} */ (target);
  const file = field.files?.[0];
  field.value = "";
  if (file) void refusal.attempt(() => importFile(file));
}

/** @param {File} file */
async function importFile(file) {
  try {
    replace(checkDocument(JSON.parse(await file.text())), t("ws.opened", { name: file.name }));
  } catch (error) {
    throw new Error(t("ws.bad_file", { name: file.name, reason: /** @type {Error} */ (error).message }));
  }
}

function exportDocument() {
  const text = `${JSON.stringify(workspaceDocument.peek(), null, 2)}\n`;
  save(new Blob([text], { type: "application/json" }), fileName(openedView.peek()?.name ?? "workspace", "json"));
  close();
}
