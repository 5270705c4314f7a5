// Actions on the selection, shared by pointer and keyboard.

import { set } from "../../data/view/view.js";
import { openScope, toggle } from "./expansion.js";
import { neighbourOf } from "./model/scene.js";
import { direction, openAlso, select, selected, trace } from "./settings.js";
import { scene } from "./state.js";
import { reveal } from "./viewport.js";

/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** Expands or collapses a scope, expands the first of a group of scopes, or ungroups a group of nodes.
 * Returns whether it did anything.
 * @param {PlacedBox} box */
export function activate({ id, box }) {
  const { kind, count, members } = box;
  if (kind === "rest" || (kind !== "scope" && count === 1)) return false;
  if (kind !== "scope") openAlso([id]);
  else if (count === 1) toggle(id);
  else {
    select(members[0].name);
    void openScope(members[0].name);
  }
  return true;
}

/** Ends the trace or else the selection. Returns whether there was one. */
export function clearSelection() {
  if (trace.peek()) set({ "graph.trace": "" });
  else if (selected.peek()) select("");
  else return false;
  return true;
}

/** @type {Record<"down" | "right", Record<string, "ahead" | "behind" | "before" | "after">>} */
const DIRECTIONS = {
  down: { ArrowDown: "ahead", ArrowUp: "behind", ArrowLeft: "before", ArrowRight: "after" },
  right: { ArrowRight: "ahead", ArrowLeft: "behind", ArrowUp: "before", ArrowDown: "after" },
};

/** Selects the neighbouring box in the direction of an arrow key. @param {string} key */
export function selectNeighbour(key) {
  const drawn = scene.peek();
  if (!drawn) return false;
  const from = drawn.byId.get(selected.peek());
  const next = from
    ? neighbourOf(drawn, from, DIRECTIONS[direction.peek()][key], direction.peek() === "down")
    : drawn.boxes[0];
  if (next) {
    select(next.id);
    reveal(next);
  }
  return true;
}

/** Turns tracing of the selection's inputs or outputs on or off.
 * @param {"in" | "out"} side */
export function toggleTrace(side) {
  if (!selected.peek()) return;
  const now = trace.peek();
  const other = side === "in" ? "out" : "in";
  set({ "graph.trace": now === side ? "" : now === "both" ? other : now === other ? "both" : side });
}
