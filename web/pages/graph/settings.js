// The settings of the graph page, as they stand in the address.

import { computed } from "@preact/signals-core";
import { set, setting } from "../../data/view.js";

export const chosenRun = setting("graph.run", "");
export const chosenGraph = setting("graph.id", "");
/** What is selected: a node, a scope, or a box that stands for several; "" nothing. */
export const selected = setting("graph.node", "");
export const searched = setting("graph.find", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"down" | "right">} */
export const direction = setting("graph.dir", "down", ["down", "right"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"" | "in" | "out" | "both">} */
export const trace = setting("graph.trace", "", ["", "in", "out", "both"]);
export const part = setting("graph.part", "whole", ["whole", "forward"]);
export const repeats = setting("graph.repeats", "fold", ["fold", "all"]);

const openList = setting("graph.open", "");
/** What is opened: scopes, groups, children there would be no room for. @type {import("@preact/signals-core").ReadonlySignal<ReadonlySet<string>>} */
export const open = computed(() => new Set(openList.value.split("\n").filter(Boolean)));
/** @param {Iterable<string>} names */
const printOpen = (names) => [...names].join("\n");

/** @param {Iterable<string>} names all that is opened @param {string} [node] what is selected with it */
export const openOnly = (names, node) =>
  set({ "graph.open": printOpen(names), ...(node !== undefined && { "graph.node": node }) });
/** @param {Iterable<string>} names */
export const openAll = (names) => openOnly(new Set([...open.peek(), ...names]));
export const closeAll = () => set({ "graph.open": "", "graph.node": "", "graph.trace": "" });

/** @param {string} name */
export const select = (name) => set({ "graph.node": name, ...(name === "" && { "graph.trace": "" }) });

/** Another graph begins closed. @param {string} run @param {string} [id] the newest unless told */
export const chooseGraph = (run, id = "") =>
  set({ "graph.run": run, "graph.id": id, "graph.open": "", "graph.node": "", "graph.trace": "" });
