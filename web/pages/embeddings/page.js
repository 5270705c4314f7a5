// The page of embeddings: the points of one embedding, and beside them its colours, the chosen point and its neighbours.

import { html, nothing } from "lit-html";
import { empty, loadingRuns, noneDrawn, noPlugin, noRuns, skeleton } from "../../controls/empty_state.js";
import { failedPart } from "../../controls/failure.js";
import { ICONS } from "../../controls/icons.js";
import { pageKinds } from "../../controls/panel_kinds.js";
import { runsReply } from "../../data/runs/catalogue.js";
import { drawingFailure, isLasso, otherDimensions, resetView, zoomView } from "./scatter.js";
import { choose, method } from "./settings.js";
import { side } from "./side.js";
import { choices, failure, followEmbeddings, isWaiting, progress, retry, shown, tags } from "./state.js";
import { moveStep, toolbar } from "./toolbar.js";
import { t } from "./words.js";

export { toolbar };

/** @typedef {import("../../controls/page.js").KeyRow} KeyRow */

export const follow = followEmbeddings;

export function content() {
  const none = noRuns() ?? withoutEmbeddings();
  if (none) return none;
  return html`
    ${failedPart(failure.value, retry)}
    ${
      drawingFailure.value
        ? html`<p class="page-note" role="alert" data-note="not_drawn">${t(
            drawingFailure.value === "webgl" ? "emb.no_webgl" : "emb.no_script",
          )}</p>`
        : nothing
    }
    <div class="embedding">
      <div class="emb-scatter">
        <embedding-scatter data-picture=${shown.value?.sprite?.url ?? nothing}></embedding-scatter>
        ${tools()}
        ${waiting()}
      </div>
      ${side()}
    </div>`;
}

pageKinds.set("embeddings", { prefix: "emb", toolbar, content, follow });

/** What is computed, and how far it is. */
function waiting() {
  if (!isWaiting.value) return nothing;
  const share = progress.value;
  if (share === null)
    return shown.value ? nothing : html`<p class="emb-waiting" role="status">${t("emb.computing")}</p>`;
  return html`<p class="emb-waiting">
    <label>${t("emb.reducing", { method: t(`emb.method_${method.value}`) })}
      <progress max="1" .value=${share}></progress></label>
    <button class="plain" data-key="emb-cancel" @click=${() => choose("emb.method", "pca")("pca")}>${t("emb.cancel")}</button></p>`;
}

/** What is done with the points by the pointer. */
const tools = () => html`<div class="emb-tools">
  <button class="quiet" data-key="emb-lasso" aria-pressed=${isLasso.value} title=${t("emb.lasso_hint")}
    aria-label=${t("emb.lasso")} @click=${() => (isLasso.value = !isLasso.value)}>${ICONS.lasso}</button>
  <button class="quiet" data-key="emb-reset" title=${t("emb.reset")} aria-label=${t("emb.reset")}
    @click=${resetView}>${ICONS.reset}</button></div>`;

function withoutEmbeddings() {
  if (choices.value.length) return null;
  if (tags.error.value) return empty("failed", t("empty.failed"), tags.error.value.message);
  if (tags.rows.value === null) return skeleton();
  if (runsReply.value?.loading) return loadingRuns();
  return runsReply.value?.runs.some((row) => row.plugins.projector) ? noneDrawn() : noPlugin(t("empty.no_embeddings"));
}

/** @type {Record<string, () => void>} */
export const ACTIONS = {
  "[": () => moveStep(-1),
  "]": () => moveStep(1),
  l: () => (isLasso.value = !isLasso.peek()),
  v: () => choose("emb.dims", "2")(otherDimensions()),
  f: () => resetView(),
  "+": () => zoomView(1.25),
  "-": () => zoomView(0.8),
};

/** @type {KeyRow[]} */
export const KEYS = [
  [["[", "]"], () => t("emb.keys_step")],
  [["←", "→", "↑", "↓"], () => t("emb.keys_move")],
  [["+", "-"], () => t("emb.keys_zoom")],
  [["v"], () => t("emb.keys_dimensions")],
  [["l"], () => t("emb.keys_lasso")],
  [["f"], () => t("emb.keys_reset")],
];
