// The settings of the graph page, stored in the address.

import { computed } from "@preact/signals-core";
import { set, setting } from "../../data/view/view.js";

export const chosenRun = setting("graph.run", "");
export const chosenGraph = setting("graph.id", "");
/** The id of the selection: a node, a scope or an aggregate box; "" for none. */
export const selected = setting("graph.node", "");
export const searchText = setting("graph.find", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"down" | "right">} */
export const direction = setting("graph.dir", "down", ["down", "right"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"" | "in" | "out" | "both">} */
export const trace = setting("graph.trace", "", ["", "in", "out", "both"]);
export const part = setting("graph.part", "whole", ["whole", "forward"]);
export const repeats = setting("graph.repeats", "fold", ["fold", "all"]);

const openList = setting("graph.open", "");
/**
 * Expanded scopes, expanded groups, and pinned children.
 * @type {import("@preact/signals-core").ReadonlySignal<ReadonlySet<string>>}
 */
export const open = computed(() => new Set(openList.value.split("\n").filter(Boolean)));
/** @param {Iterable<string>} names */
const printOpen = (names) => [...names].join("\n");

/** @param {Iterable<string>} names everything that is expanded @param {string} [node] the new selection */
export const setOpen = (names, node) =>
  set({ "graph.open": printOpen(names), ...(node !== undefined && { "graph.node": node }) });
/** @param {Iterable<string>} names */
export const openAlso = (names) => setOpen(new Set([...open.peek(), ...names]));
export const collapseAll = () => set({ "graph.open": "", "graph.node": "", "graph.trace": "" });

/** @param {string} name */
export const select = (name) => set({ "graph.node": name, ...(name === "" && { "graph.trace": "" }) });

/** Shows another graph, collapsed. @param {string} run @param {string} [id] the newest by default */
export const chooseGraph = (run, id = "") =>
  set({ "graph.run": run, "graph.id": id, "graph.open": "", "graph.node": "", "graph.trace": "" });
