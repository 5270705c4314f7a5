// The dialog that makes a snapshot: what is in it, progress, size, download.

import { signal } from "@preact/signals-core";
import { html, nothing } from "lit-html";
import { openDialog } from "../../controls/dialog.js";
import { fileName, save } from "../../controls/download.js";
import { MAX_DRAWN, visibleRuns } from "../../data/runs/runs.js";
import { presentPages } from "../../data/view/present_pages.js";
import { page } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { t } from "../words.js";
import { snapshotOf } from "./frame.js";

/** @typedef {import("../../data/view/address.js").PageName} PageName */
/** @typedef {{stage: "choosing"} | {stage: "creating", done: number, bytes: number} | {stage: "ready", file: Blob}
 *   | {stage: "failed", reason: string}} State */

export function openSnapshotDialog() {
  const chosen = signal(/** @type {PageName[]} */ ([page.peek()]));
  const allPoints = signal(false);
  const state = signal(/** @type {State} */ ({ stage: "choosing" }));
  const abort = new AbortController();
  const runs = visibleRuns.peek();

  async function create() {
    state.value = { stage: "creating", done: 0, bytes: 0 };
    const order = { runs: runs.slice(0, MAX_DRAWN), pages: chosen.peek(), allPoints: allPoints.peek() };
    const place = /** @type {HTMLElement} */ (document.querySelector('[data-dialog="snapshot"] .snapshot-frame'));
    try {
      const progress = (/** @type {number} */ done, /** @type {number} */ bytes) =>
        void (state.value = { stage: "creating", done, bytes });
      state.value = { stage: "ready", file: await snapshotOf(order, place, progress, abort.signal) };
    } catch (error) {
      if (!abort.signal.aborted) state.value = { stage: "failed", reason: /** @type {Error} */ (error).message };
    }
  }

  /** @param {PageName} name @param {boolean} isOn */
  const choose = (name, isOn) =>
    (chosen.value = presentPages.peek().filter((each) => (each === name ? isOn : chosen.peek().includes(each))));

  const choices = () => html`
    <p>${t("snapshot.explained")}</p>
    <p data-note="runs">${
      runs.length > MAX_DRAWN
        ? t("snapshot.first_runs", { shown: grouped(MAX_DRAWN), n: grouped(runs.length) })
        : t("snapshot.runs", { n: grouped(runs.length) })
    }</p>
    <fieldset><legend>${t("snapshot.pages")}</legend>
      ${presentPages.value.map(
        (name) => html`<label><input type="checkbox" name="page" value=${name} .checked=${chosen.value.includes(name)}
          @change=${(/** @type {Event} */ { target }) => choose(name, /** @type {HTMLInputElement} */ (target).checked)}>
          <span>${t(`page.${name}`)}</span></label>`,
      )}
    </fieldset>
    <label class="dialog-option"><input type="checkbox" name="all-points" .checked=${allPoints.value}
      @change=${(/** @type {Event} */ { target }) => (allPoints.value = /** @type {HTMLInputElement} */ (target).checked)}>
      <span>${t("snapshot.all_points")}<small>${t("snapshot.all_points_hint")}</small></span></label>
    <p class="hint">${t("snapshot.private")}</p>`;

  /** @param {() => void} close */
  const buttons = (close) => {
    const { stage } = state.value;
    return html`<footer>
      <button class="plain" data-key="close" @click=${close}>${t(stage === "ready" ? "snapshot.close" : "snapshot.cancel")}</button>
      ${
        state.value.stage === "ready"
          ? html`<button class="primary" data-key="download" @click=${() => download(state.value, chosen.peek()[0])}>${t("snapshot.download")}</button>`
          : html`<button class="primary" data-key="create" ?disabled=${stage === "creating" || !chosen.value.length || !runs.length}
              @click=${create}>${t("snapshot.create")}</button>`
      }</footer>`;
  };

  openDialog({ label: () => t("snapshot.title"), name: "snapshot", closed: () => abort.abort() }, (close) => {
    const shown = state.value;
    return html`<h2>${t("snapshot.title")}</h2>
      ${shown.stage === "choosing" || shown.stage === "failed" ? choices() : nothing}
      <div role="status">${status(shown)}</div>
      <div class="snapshot-frame" ?hidden=${shown.stage !== "creating"}></div>
      ${buttons(close)}`;
  });
}

/** @param {State} state */
function status(state) {
  if (state.stage === "creating")
    return html`<p>${t("snapshot.creating")} <span class="meta">${megabytes(state.bytes)} MB</span></p>
      <progress max="1" value=${state.done} aria-label=${t("snapshot.creating")}></progress>`;
  if (state.stage === "ready")
    return html`<p data-note="ready">${t("snapshot.ready", { size: megabytes(state.file.size) })}</p>`;
  return state.stage === "failed"
    ? html`<p class="warning">${t("snapshot.failed", { reason: state.reason })}</p>`
    : nothing;
}

/** @param {State} state @param {PageName} first of its pages */
function download(state, first) {
  if (state.stage === "ready")
    save(state.file, fileName(`toposcope-${first}-${new Date().toISOString().slice(0, 10)}`, "html"));
}

/** @param {number} bytes */
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
