// Trees of scopes in words: what is drawn, or what a search found. They tell what the drawing shows, and are walked by keys.

import { html, nothing } from "lit-html";
import { repeat } from "lit-html/directives/repeat.js";
import { ICONS } from "../../controls/icons.js";
import { grouped } from "../../i18n/numbers.js";
import { activate } from "./actions.js";
import { jump } from "./expansion.js";
import { groupLabel } from "./model/boxes.js";
import { scene, sought } from "./selection_state.js";
import { open, select, selected } from "./settings.js";
import { t } from "./words.js";

/** @typedef {import("../../data/graphs.js").SearchReply} SearchReply */
/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** @typedef {object} Row
 * @property {string} id
 * @property {number} level from 1
 * @property {string} kind
 * @property {unknown} label
 * @property {string} hint
 * @property {string} note
 * @property {boolean | null} expanded null: there is nothing to open
 * @property {boolean} dim only leads to what was found
 * @property {() => void} pick
 * @property {() => void} toggle
 */

/** Rows of a tree; what more is drawn is to be found by searching. */
const MOST_ROWS = 400;

export function drawnTree() {
  const drawn = scene.value;
  if (!drawn) return nothing;
  const rows = drawn.boxes.slice(0, MOST_ROWS).map(rowOf);
  const more = drawn.boxes.length - rows.length;
  return html`${tree(t("graph.drawn"), rows)}${more > 0 ? html`<p class="meta">${t("graph.more_rows", { n: grouped(more) })}</p>` : nothing}`;
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
    pick: () => {
      select(id);
      sought.value = id;
    },
    toggle: () => {
      select(id);
      activate(placed);
    },
  };
}

/** @param {SearchReply} finding @param {string} wanted */
export const foundTree = (finding, wanted) =>
  tree(
    t("graph.results"),
    finding.tree.map(({ name, label, kind, op, nodes, depth, matches }) => ({
      id: name,
      level: depth + 1,
      kind,
      hint: name,
      dim: !matches,
      label: matches ? marked(label, wanted) : label,
      note: kind === "scope" ? grouped(nodes) : (op ?? ""),
      expanded: kind === "scope" && !matches ? true : null,
      pick: () => jump(name),
      toggle: () => jump(name),
    })),
  );

/** The part that was searched for stands out. @param {string} label @param {string} wanted */
function marked(label, wanted) {
  const part = wanted.slice(wanted.lastIndexOf("/") + 1);
  const at = part ? label.toLowerCase().indexOf(part.toLowerCase()) : -1;
  return at < 0
    ? label
    : html`${label.slice(0, at)}<mark>${label.slice(at, at + part.length)}</mark>${label.slice(at + part.length)}`;
}

/** @param {string} label @param {Row[]} rows */
function tree(label, rows) {
  const chosen = selected.value;
  const focusable = rows.some(({ id }) => id === chosen) ? chosen : rows[0]?.id;
  return html`<div class="graph-tree" role="tree" aria-label=${label} data-open=${[...open.value].length} @keydown=${(/** @type {KeyboardEvent} */ event) => pressed(event, rows)}>
    ${repeat(
      rows,
      ({ id }) => id,
      (row) => html`
      <div role="treeitem" class="graph-row" data-name=${row.id} data-kind=${row.kind} data-level=${row.level} data-note=${row.note} ?data-dim=${row.dim}
        aria-level=${row.level} aria-selected=${row.id === chosen} aria-expanded=${row.expanded ?? nothing} tabindex=${row.id === focusable ? 0 : -1}
        style="--level:${Math.min(row.level - 1, 12)}" title=${row.hint} @click=${row.pick} @dblclick=${row.toggle}>
        <span class="graph-twig" @click=${(/** @type {Event} */ event) => row.expanded !== null && !row.dim && ((event.stopPropagation(), row.toggle()))}>${row.expanded === null ? nothing : ICONS.chevron}</span>
        <i class="graph-kind" aria-hidden="true"></i><span class="graph-label">${row.label}</span><span class="meta">${row.note}</span>
      </div>`,
    )}
  </div>`;
}

/** Keys as in any tree. @param {KeyboardEvent} event @param {Row[]} rows */
function pressed(event, rows) {
  const item = /** @type {HTMLElement} */ (event.target).closest("[role=treeitem]");
  const place = rows.findIndex(({ id }) => id === /** @type {HTMLElement | null} */ (item)?.dataset.name);
  const row = rows[place];
  if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
  const go = (/** @type {number} */ to) =>
    /** @type {HTMLElement | undefined} */ (item?.parentElement?.querySelectorAll("[role=treeitem]")[to])?.focus();
  const parent = () => rows.findLastIndex((other, at) => at < place && other.level < row.level);
  if (event.key === "ArrowDown") go(place + 1);
  else if (event.key === "ArrowUp" && place > 0) go(place - 1);
  else if (event.key === "Home") go(0);
  else if (event.key === "End") go(rows.length - 1);
  else if (event.key === "ArrowRight" && row.expanded === false) row.toggle();
  else if (event.key === "ArrowRight" && row.expanded) go(place + 1);
  else if (event.key === "ArrowLeft" && row.expanded && !row.dim) row.toggle();
  else if (event.key === "ArrowLeft" && parent() >= 0) go(parent());
  else if (event.key === "Enter" || event.key === " ") row.pick();
  else if (!event.key.startsWith("Arrow")) return;
  event.preventDefault();
  event.stopPropagation();
}
