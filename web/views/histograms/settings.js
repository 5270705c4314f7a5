// The settings of the histograms page, and the steps that its slider moves over.

import { computed, signal } from "@preact/signals-core";
import { RankChoice } from "../../state/ranks.js";
import { set, setting } from "../../state/view.js";

export const MODES = /** @type {const} */ (["ridge", "heat", "bands", "single"]);
/** @typedef {(typeof MODES)[number]} Mode */
export const AXES = /** @type {const} */ (["step", "relative", "wall_time"]);

export const mode = setting("hist.mode", /** @type {Mode} */ ("ridge"), MODES);
export const axis = setting("hist.axis", /** @type {import("../../lib/ticks.js").Axis} */ ("step"), AXES);
export const layout = setting("hist.layout", /** @type {"offset" | "front"} */ ("offset"), ["offset", "front"]);
export const scale = setting("hist.scale", /** @type {"linear" | "log"} */ ("linear"), ["linear", "log"]);
/** @type {import("@preact/signals-core").ReadonlySignal<"off" | "on">} */
export const trim = setting("hist.trim", /** @type {"off" | "on"} */ ("off"), ["off", "on"]);
export const ranks = new RankChoice("hist", "histogram");
const stepText = setting("hist.step", "");

/** The step that all cards show or mark; null = the last, whatever it is. */
export const step = computed(() => (/^-?\d+$/.test(stepText.value) ? Number(stepText.value) : null));

/** The steps that each card in sight has. @type {import("@preact/signals-core").Signal<ReadonlyMap<object, number[]>>} */
const stepsByCard = signal(new Map());

/** @param {object} card @param {number[] | null} its null: it is out of sight */
export function tellSteps(card, its) {
  const known = stepsByCard.peek().get(card);
  if (known === its || (!known && !its) || (known && its && known.length === its.length && known.every((one, index) => one === its[index]))) return;
  const next = new Map(stepsByCard.peek());
  if (its) next.set(card, its);
  else next.delete(card);
  stepsByCard.value = next;
}

/** The steps of all cards in sight, ascending. */
export const steps = computed(() => [...new Set([...stepsByCard.value.values()].flat())].sort((one, other) => one - other));

/** The place of the step among them. */
export const stepIndex = computed(() => {
  const chosen = step.value;
  return chosen === null ? steps.value.length - 1 : Math.max(0, steps.value.findLastIndex((one) => one <= chosen));
});

/** The last step is not written down: whoever looks at it follows the run.
 * @param {number} index */
export function showStepAt(index) {
  const chosen = steps.peek()[index];
  if (chosen !== undefined) set({ "hist.step": index === steps.peek().length - 1 ? "" : String(chosen) });
}

/** Marks a step, or takes its mark away.
 * @param {number} chosen */
export const toggleStep = (chosen) => set({ "hist.step": step.peek() === chosen ? "" : String(chosen) });

/** Where the reader points. @type {import("@preact/signals-core").Signal<({tag: string} & import("../../charts/histogram_frame.js").Aim) | null>} */
export const aimed = signal(null);
