// What the reader does to the graph with hands and keys.

import { set } from "../../data/view.js";
import { openScope, toggle } from "./expansion.js";
import { stepFrom } from "./model/scene.js";
import { scene } from "./selection_state.js";
import { direction, openAll, select, selected, trace } from "./settings.js";
import { show } from "./viewport.js";

/** @typedef {import("./model/scene.js").PlacedBox} PlacedBox */

/** Opens or closes a scope, the first of several that are alike; draws nodes that are alike one by one. Says whether there was something to do.
 * @param {PlacedBox} box */
export function activate({ id, box }) {
  const { kind, count, members } = box;
  if (kind === "rest" || (kind !== "scope" && count === 1)) return false;
  if (kind !== "scope") openAll([id]);
  else if (count === 1) toggle(id);
  else {
    select(members[0].name);
    void openScope(members[0].name);
  }
  return true;
}

/** Ends the trace, else the selection; says whether there was one. */
export function cleared() {
  if (trace.peek()) set({ "graph.trace": "" });
  else if (selected.peek()) select("");
  else return false;
  return true;
}

/** @type {Record<"down" | "right", Record<string, "ahead" | "behind" | "before" | "after">>} */
const WAYS = {
  down: { ArrowDown: "ahead", ArrowUp: "behind", ArrowLeft: "before", ArrowRight: "after" },
  right: { ArrowRight: "ahead", ArrowLeft: "behind", ArrowUp: "before", ArrowDown: "after" },
};

/** Selects the next box along the edges or beside them. @param {string} key an arrow */
export function walk(key) {
  const drawn = scene.peek();
  if (!drawn) return false;
  const from = drawn.byId.get(selected.peek());
  const next = from ? stepFrom(drawn, from, WAYS[direction.peek()][key], direction.peek() === "down") : drawn.boxes[0];
  if (next) {
    select(next.id);
    show(next);
  }
  return true;
}

/** Traces what the selected one comes from, or goes to; once more ends it.
 * @param {"in" | "out"} way */
export function toggleTrace(way) {
  if (!selected.peek()) return;
  const now = trace.peek();
  const other = way === "in" ? "out" : "in";
  set({ "graph.trace": now === way ? "" : now === "both" ? other : now === other ? "both" : way });
}
