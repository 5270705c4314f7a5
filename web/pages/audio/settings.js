// The settings of the audio page in the URL: its step, rank and attempt, the pictures of clips, and how they are played.

import { computed } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { RankChoice } from "../../data/runs/ranks.js";
import { set, setting } from "../../data/view/view.js";

/** @typedef {"wave" | "spectrum" | "both" | "none"} Picture */

export const audioStep = new PageStep("audio");
export const audioRanks = new RankChoice("audio", "audio");

/** @type {Picture[]} */
export const PICTURES = ["wave", "spectrum", "both", "none"];
export const picture = setting("audio.picture", /** @type {Picture} */ ("wave"), PICTURES);
/** @param {string} chosen */
export const choosePicture = (chosen) => set({ "audio.picture": chosen === "wave" ? "" : chosen });

const loop = setting("audio.loop", "", ["", "on"]);
/** Are clips repeated? */
export const isLooped = computed(() => loop.value === "on");
export const toggleLoop = () => set({ "audio.loop": isLooped.peek() ? "" : "on" });

const inStep = setting("audio.in_step", "", ["", "on"]);
/** Does a clip begin where the last one of its card was? */
export const isInStep = computed(() => inStep.value === "on");
export const toggleInStep = () => set({ "audio.in_step": isInStep.peek() ? "" : "on" });
