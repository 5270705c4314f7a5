// Accessible trees of scopes: the drawn boxes, or the search results, with keyboard navigation.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { activate } from "./actions.js";
import { goTo } from "./expansion.js";
import { groupLabel } from "./model/boxes.js";
import { open, select, selected } from "./settings.js";
import { pendingReveal, scene } from "./state.js";
import { t } from "./words.js";

/** @typedef {import("../../data/kinds/graphs.js").SearchReply} SearchReply */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** @typedef {object} Row
 * @property {string} id
 * @property {number} level from 1
 * @property {string} kind
 * @property {unknown} label
 * @property {string} hint
 * @property {string} note
 * @property {boolean | null} expanded null if the row cannot be expanded
 * @property {boolean} dim an ancestor of a match, not a match itself
 * @property {() => void} choose
 * @property {() => void} toggle
 */

/** The tree lists at most so many boxes; the others are found by search. */
const MAX_ROWS = 400;

export function drawnTree() {
  const drawn = scene.value;
  if (!drawn) return nothing;
  const rows = drawn.boxes.slice(0, MAX_ROWS).map(rowOf);
  const more = drawn.boxes.length - rows.length;
  return html`${tree(t("graph.node_tree"), rows)}${
    more > 0 ? html`<p class="meta">${t("graph.more_rows", { n: grouped(more) })}</p>` : nothing
  }`;
}

/** @param {PlacedBox} placed @returns {Row} */
function rowOf(placed) {
  const { id, box, depth, isOpen } = placed;
  const [first] = box.members;
  const label =
    box.kind === "rest"
      ? t("graph.more", { n: grouped(box.count) })
      : groupLabel(box.members) + (box.count > 1 ? ` ×${box.count}` : "");
  return {
    id,
    level: depth + 1,
    kind: box.kind,
    label,
    hint: first?.name ?? "",
    dim: false,
    note: box.kind === "rest" ? "" : box.kind === "scope" ? grouped(first.nodes) : (first.op ?? ""),
    expanded: (box.kind === "scope" || box.count > 1) && box.kind !== "rest" ? isOpen : null,
    choose: () => {
      select(id);
      pendingReveal.value = id;
    },
    toggle: () => {
      select(id);
      activate(placed);
    },
  };
}

/** @param {SearchReply} reply @param {string} query */
export const foundTree = (reply, query) =>
  tree(
    t("graph.results"),
    reply.tree.map(({ name, label, kind, op, nodes, depth, matches }) => ({
      id: name,
      level: depth + 1,
      kind,
      hint: name,
      dim: !matches,
      label: matches ? highlighted(label, query) : label,
      note: kind === "scope" ? grouped(nodes) : (op ?? ""),
      expanded: kind === "scope" && !matches ? true : null,
      choose: () => goTo(name),
      toggle: () => goTo(name),
    })),
  );

/** Marks the matching part of a label. @param {string} label @param {string} query */
function highlighted(label, query) {
  const part = query.slice(query.lastIndexOf("/") + 1);
  const at = part ? label.toLowerCase().indexOf(part.toLowerCase()) : -1;
  return at < 0
    ? label
    : html`${label.slice(0, at)}<mark>${label.slice(at, at + part.length)}</mark>${label.slice(at + part.length)}`;
}

/** @param {string} label @param {Row[]} rows */
function tree(label, rows) {
  const selectedName = selected.value;
  const focusable = rows.some(({ id }) => id === selectedName) ? selectedName : rows[0]?.id;
  return html`<div class="graph-tree" role="tree" aria-label=${label} data-open=${[...open.value].length}
    @keydown=${(/** @type {KeyboardEvent} */ event) => onKeyDown(event, rows)}>
    ${repeat(
      rows,
      ({ id }) => id,
      (row) => html`
      <div role="treeitem" class="graph-row" data-name=${row.id} data-kind=${row.kind} data-level=${row.level}
        data-note=${row.note} ?data-dim=${row.dim}
        aria-level=${row.level} aria-selected=${row.id === selectedName} aria-expanded=${row.expanded ?? nothing}
        tabindex=${row.id === focusable ? 0 : -1}
        style="--level:${Math.min(row.level - 1, 12)}" title=${row.hint} @click=${row.choose} @dblclick=${row.toggle}>
        <span class="graph-twig"
          @click=${(/** @type {Event} */ event) =>
            toggleRow(event, row)}>${row.expanded === null ? nothing : ICONS.chevron}</span>
        <i class="graph-kind" aria-hidden="true"></i><span class="graph-label">${row.label}</span><span
          class="meta">${row.note}</span>
      </div>`,
    )}
  </div>`;
}

/** @param {Event} event @param {Row} row */
function toggleRow(event, row) {
  if (row.expanded === null || row.dim) return;
  event.stopPropagation();
  row.toggle();
}

/** Handles the keys of the ARIA tree pattern. @param {KeyboardEvent} event @param {Row[]} rows */
function onKeyDown(event, rows) {
  const item = /** @type {HTMLElement} */ (event.target).closest("[role=treeitem]");
  const place = rows.findIndex(({ id }) => id === /** @type {HTMLElement | null} */ (item)?.dataset.name);
  const row = rows[place];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const focusRow = (/** @type {number} */ to) =>
    /** @type {HTMLElement | undefined} */ (item?.parentElement?.querySelectorAll("[role=treeitem]")[to])?.focus();
  const parent = () => rows.findLastIndex((other, at) => at < place && other.level < row.level);
  if (event.key === "ArrowDown") focusRow(place + 1);
  else if (event.key === "ArrowUp" && place > 0) focusRow(place - 1);
  else if (event.key === "Home") focusRow(0);
  else if (event.key === "End") focusRow(rows.length - 1);
  else if (event.key === "ArrowRight" && row.expanded === false) row.toggle();
  else if (event.key === "ArrowRight" && row.expanded) focusRow(place + 1);
  else if (event.key === "ArrowLeft" && row.expanded && !row.dim) row.toggle();
  else if (event.key === "ArrowLeft" && parent() >= 0) focusRow(parent());
  else if (event.key === "Enter" || event.key === " ") row.choose();
  else if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  event.stopPropagation();
}
