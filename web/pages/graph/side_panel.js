// The side panel of the graph page: search, a tree of matches or drawn boxes, and details of the selection.

import { html, nothing } from "lit-html";
import { ICONS } from "../../controls/icons.js";
import { set } from "../../data/view/view.js";
import { grouped } from "../../i18n/numbers.js";
import { entryDetails, groupDetails } from "./details.js";
import { goTo } from "./expansion.js";
import { searchText, selected } from "./settings.js";
import { details, detailsError, searchError, searchResult } from "./state.js";
import { drawnTree, foundTree } from "./tree.js";
import { t } from "./words.js";

/** Milliseconds without typing before the search is sent. */
const SEARCH_DELAY = 180;
let searchTimer = 0;

/** @param {InputEvent} event */
function onInput(event) {
  const { value } = /** @type {HTMLInputElement} */ (event.target);
  clearTimeout(searchTimer);
  searchTimer = window.setTimeout(() => set({ "graph.find": value }), SEARCH_DELAY);
}

/** @param {KeyboardEvent} event */
function onKeyDown(event) {
  if (event.key === "Escape" && searchText.peek()) set({ "graph.find": "" });
  else if (event.key === "ArrowDown")
    /** @type {HTMLElement | null} */ (document.querySelector(".graph-tree [role=treeitem]"))?.focus();
  else if (event.key === "Enter") goToNextMatch();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Goes to the next match, cyclically. */
function goToNextMatch() {
  const names = (searchResult.peek()?.reply.tree ?? []).filter(({ matches }) => matches).map(({ name }) => name);
  if (names.length) goTo(names[(names.indexOf(selected.peek()) + 1) % names.length]);
}

export const side = () => html`
  <aside class="graph-side" aria-label=${t("graph.side")}>
    <div class="filter graph-find">
      ${ICONS.search}
      <input id="graph-find" type="text" spellcheck="false" autocomplete="off" placeholder=${t("graph.find")}
        aria-label=${t("graph.find")}
        .value=${searchText.value} @input=${onInput} @keydown=${onKeyDown}>
    </div>
    ${
      searchText.value.trim()
        ? searchResults()
        : html`<section class="graph-list"><h2>${t("graph.node_tree")}</h2>${drawnTree()}</section>`
    }
    ${selected.value ? selection() : html`<p class="hint graph-hint">${t("graph.hint")}</p>`}
  </aside>`;

function searchResults() {
  const { query, reply } = searchResult.value ?? {};
  if (searchError.value)
    return html`<p class="graph-matches" role="alert">${t("graph.failed")} ${searchError.value.message}</p>`;
  if (!reply) return html`<p class="meta graph-matches">…</p>`;
  const listed = reply.tree.filter(({ matches }) => matches).length;
  const text =
    listed < reply.total
      ? t("graph.first_matches", { current: grouped(listed), total: grouped(reply.total) })
      : t("graph.matches", { n: reply.total === 1 ? 1 : grouped(reply.total) });
  return html`<section class="graph-list"><h2 aria-live="polite"
    data-total=${reply.total}>${text}</h2>${foundTree(reply, query ?? "")}</section>`;
}

function selection() {
  const name = selected.value;
  const group = groupDetails(name);
  if (group) return group;
  const shown = details.value;
  if (shown?.name === name)
    return shown.entry
      ? entryDetails(shown.entry)
      : html`<p class="hint graph-hint" role="status" data-state="unknown">${t("graph.unknown", { name })}</p>`;
  return detailsError.value
    ? html`<p class="graph-matches" role="alert">${t("graph.failed")} ${detailsError.value.message}</p>`
    : nothing;
}
