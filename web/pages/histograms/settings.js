// Settings of the histograms page, and the pointed position.

import { computed, signal } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { RankChoice } from "../../data/runs/ranks.js";
import { setting } from "../../data/view/view.js";

export const MODES = /** @type {const} */ (["ridge", "heat", "bands", "single"]);
/** @typedef {(typeof MODES)[number]} Mode */
export const AXES = /** @type {const} */ (["step", "relative", "wall_time"]);

export const mode = setting("hist.mode", /** @type {Mode} */ ("ridge"), MODES);
/** Do all runs share one plot? */
export const isTogether = computed(() => mode.value === "bands" || mode.value === "single");
export const axis = setting("hist.axis", /** @type {import("../../charts/ticks.js").Axis} */ ("step"), AXES);
export const layout = setting("hist.layout", /** @type {"offset" | "front"} */ ("offset"), ["offset", "front"]);
export const scale = setting("hist.scale", /** @type {"linear" | "log"} */ ("linear"), ["linear", "log"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"off" | "on">} */
export const trim = setting("hist.trim", /** @type {"off" | "on"} */ ("on"), ["off", "on"]);
/** Do all runs of a card have the same axes? */
export const range = setting("hist.range", /** @type {"shared" | "own"} */ ("shared"), ["shared", "own"]);
export const ranks = new RankChoice("hist", "histogram");

/** The step shown or marked in all cards. */
export const pageStep = new PageStep("hist");

/** Marks a step, or removes its mark.
 * @param {number} chosen */
export const toggleStep = (chosen) => pageStep.setShared(pageStep.shared.peek() === chosen ? null : chosen);

/** The position under the pointer; null = none.
 * @type {import("@preact/signals-core").Signal<({tag: string} & import("../../charts/histogram/frame.js").Target) |
 * null>} */
export const pointed = signal(null);
