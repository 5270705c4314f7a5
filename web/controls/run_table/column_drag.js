// Reordering the columns of a table: by dragging their headers, or with the arrow keys.

import { scheduleDraw } from "../../charts/draw_queue.js";
import { movedTo } from "../../data/tags/card_order.js";

/** @param {Event} event */
const headOf = (event) => /** @type {HTMLElement} */ (event.currentTarget);
/** @param {Event} event */
const columnOf = (event) => headOf(event).dataset.column ?? "";

/** Returns the event listeners of a table's header cells, which have a data-column and a .head-label.
 * @param {() => readonly string[]} shown the movable columns, in order @param {(columns: string[]) => void} choose */
export function columnDragHandlers(shown, choose) {
  let dragging = "";

  /** @param {string} column @param {string | undefined} other whose place it takes */
  function put(column, other) {
    if (other !== undefined && other !== column && shown().includes(column)) choose(movedTo(shown(), column, other));
  }

  /** @param {DragEvent} event */
  function dragged(event) {
    dragging = columnOf(event);
    event.dataTransfer?.setData("text/plain", dragging);
  }

  /** @param {DragEvent} event */
  function hovered(event) {
    if (!dragging || !shown().includes(columnOf(event))) return;
    event.preventDefault();
    headOf(event).classList.add("drop");
  }

  /** @param {DragEvent} event */
  const left = (event) => headOf(event).classList.remove("drop");

  /** @param {DragEvent} event */
  function dropped(event) {
    left(event);
    event.preventDefault();
    put(dragging, columnOf(event));
    dragging = "";
  }

  /** @param {KeyboardEvent} event */
  function pressed(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const column = columnOf(event);
    if (!by || event.ctrlKey || event.metaKey || event.altKey || !shown().includes(column)) return;
    event.preventDefault();
    event.stopPropagation();
    const table = headOf(event).closest("table");
    const at = shown().indexOf(column);
    put(column, shown()[at + by]);
    // After the table is drawn: a header cell that moves loses the focus.
    scheduleDraw(() =>
      /** @type {HTMLElement | null | undefined} */ (
        table?.querySelector(`th[data-column=${JSON.stringify(column)}] .head-label`)
      )?.focus(),
    );
  }

  return { dragged, hovered, left, dropped, pressed };
}
