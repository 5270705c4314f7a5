// Beside the graph: the search, what it found or what is drawn as a tree, and the selected node.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { set } from "../../data/view.js";
import { grouped } from "../../i18n/numbers.js";
import { entryDetails, severalDetails } from "./details.js";
import { jump } from "./expansion.js";
import { details, detailsError, findError, found } from "./selection_state.js";
import { searched, selected } from "./settings.js";
import { drawnTree, foundTree } from "./tree.js";
import { t } from "./words.js";

/** Typing pauses so long before the server searches, in milliseconds. */
const PAUSE = 180;
let typing = 0;

/** @param {InputEvent} event */
function typed(event) {
  const { value } = /** @type {HTMLInputElement} */ (event.target);
  clearTimeout(typing);
  typing = window.setTimeout(() => set({ "graph.find": value }), PAUSE);
}

/** @param {KeyboardEvent} event */
function entered(event) {
  if (event.key === "Escape" && searched.peek()) set({ "graph.find": "" });
  else if (event.key === "ArrowDown")
    /** @type {HTMLElement | null} */ (document.querySelector(".graph-tree [role=treeitem]"))?.focus();
  else if (event.key === "Enter") next();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Jumps to what was found, one after the other. */
function next() {
  const names = (found.peek()?.finding.tree ?? []).filter(({ matches }) => matches).map(({ name }) => name);
  if (names.length) jump(names[(names.indexOf(selected.peek()) + 1) % names.length]);
}

export const side = () => html`
  <aside class="graph-side" aria-label=${t("graph.side")}>
    <div class="filter graph-find">
      ${ICONS.search}
      <input id="graph-find" type="text" spellcheck="false" autocomplete="off" placeholder=${t("graph.find")} aria-label=${t("graph.find")}
        .value=${searched.value} @input=${typed} @keydown=${entered}>
    </div>
    ${searched.value.trim() ? finding() : html`<section class="graph-list"><h2>${t("graph.drawn")}</h2>${drawnTree()}</section>`}
    ${selected.value ? chosen() : html`<p class="hint graph-hint">${t("graph.hint")}</p>`}
  </aside>`;

function finding() {
  const { wanted, finding: reply } = found.value ?? {};
  if (findError.value)
    return html`<p class="graph-found" role="alert">${t("graph.failed")} ${findError.value.message}</p>`;
  if (!reply) return html`<p class="meta graph-found">…</p>`;
  const listed = reply.tree.filter(({ matches }) => matches).length;
  const text =
    listed < reply.total
      ? t("graph.found_some", { shown: grouped(listed), total: grouped(reply.total) })
      : t("graph.found", { n: reply.total === 1 ? 1 : grouped(reply.total) });
  return html`<section class="graph-list"><h2 aria-live="polite" data-total=${reply.total}>${text}</h2>${foundTree(reply, wanted ?? "")}</section>`;
}

function chosen() {
  const name = selected.value;
  const several = severalDetails(name);
  if (several) return several;
  const shown = details.value;
  if (shown?.name === name)
    return shown.entry
      ? entryDetails(shown.entry)
      : html`<p class="hint graph-hint" role="status" data-state="unknown">${t("graph.unknown", { name })}</p>`;
  return detailsError.value
    ? html`<p class="graph-found" role="alert">${t("graph.failed")} ${detailsError.value.message}</p>`
    : nothing;
}
