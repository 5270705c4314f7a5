// The settings of the page of meshes in the URL: its step, rank and attempt, how meshes are drawn, and the cameras.

import { computed } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { RankChoice } from "../../data/runs/ranks.js";
import { set, setting } from "../../data/view/view.js";

/** @typedef {"surface" | "wireframe" | "points"} Mode */

/** @type {Mode[]} */
export const MODES = ["surface", "wireframe", "points"];

export const meshStep = new PageStep("mesh");
export const meshRanks = new RankChoice("mesh", "mesh");
export const mode = setting("mesh.mode", /** @type {Mode} */ ("surface"), MODES);
const cameras = setting("mesh.cameras", "", ["", "apart"]);
/** Do all views turn together? */
export const areLinked = computed(() => cameras.value === "");

/** @param {Mode} chosen */
export const chooseMode = (chosen) => set({ "mesh.mode": chosen === "surface" ? "" : chosen });
export const toggleLink = () => set({ "mesh.cameras": areLinked.peek() ? "apart" : "" });
