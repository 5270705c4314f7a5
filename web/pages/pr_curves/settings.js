// The settings of the page of PR curves in the URL: its step, rank and attempt, and the threshold that is read.

import { computed, signal } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { RankChoice } from "../../data/runs/ranks.js";

export const curveStep = new PageStep("pr");
export const curveRanks = new RankChoice("pr", "pr_curves");

export const DEFAULT_THRESHOLD = 0.5;

const parameter = new ThrottledSetting("pr.threshold");

/** The threshold under the pointer; null = none. @type {import("@preact/signals-core").Signal<number | null>} */
export const pointedThreshold = signal(null);

/** The threshold that was chosen, 0 to 1. */
export const chosenThreshold = computed(() => {
  const number = Number(parameter.text.value);
  return parameter.text.value !== "" && number >= 0 && number <= 1 ? number : DEFAULT_THRESHOLD;
});

/** The threshold that all cards read. */
export const threshold = computed(() => pointedThreshold.value ?? chosenThreshold.value);

/** @param {number} value */
export function chooseThreshold(value) {
  const rounded = Number(Math.min(1, Math.max(0, value)).toFixed(4));
  parameter.set(rounded === DEFAULT_THRESHOLD ? "" : String(rounded));
}
