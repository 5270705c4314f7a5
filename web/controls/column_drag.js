// Carrying a column of a table to the place of another: by dragging its head, or with the arrow keys on its name.

import { drawSoon } from "../charts/draw_queue.js";
import { movedTo } from "../data/card_order.js";

/** @param {Event} event */
const headOf = (event) => /** @type {HTMLElement} */ (event.currentTarget);
/** @param {Event} event */
const columnOf = (event) => headOf(event).dataset.column ?? "";

/** What the heads of one table listen with. Each head has its column as data-column, its name in a .head-label.
 * @param {() => readonly string[]} shown the columns that can be carried, as they stand @param {(columns: string[]) => void} choose */
export function columnHands(shown, choose) {
  let carried = "";

  /** @param {string} column @param {string | undefined} other where it goes */
  function put(column, other) {
    if (other !== undefined && other !== column && shown().includes(column)) choose(movedTo(shown(), column, other));
  }

  /** @param {DragEvent} event */
  function dragged(event) {
    carried = columnOf(event);
    event.dataTransfer?.setData("text/plain", carried);
  }

  /** @param {DragEvent} event */
  function hovered(event) {
    if (!carried || !shown().includes(columnOf(event))) return;
    event.preventDefault();
    headOf(event).classList.add("drop");
  }

  /** @param {DragEvent} event */
  const left = (event) => headOf(event).classList.remove("drop");

  /** @param {DragEvent} event */
  function dropped(event) {
    left(event);
    event.preventDefault();
    put(carried, columnOf(event));
    carried = "";
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
    // Behind the drawing of the table: a head that is put elsewhere loses the focus.
    drawSoon(() =>
      /** @type {HTMLElement | null | undefined} */ (
        table?.querySelector(`th[data-column=${JSON.stringify(column)}] .head-label`)
      )?.focus(),
    );
  }

  return { dragged, hovered, left, dropped, pressed };
}
