// The settings of the text page in the URL: its step, and how texts are displayed.

import { computed } from "@preact/signals-core";
import { PageStep } from "../../controls/page_step.js";
import { RankChoice } from "../../data/runs/ranks.js";
import { set, setting } from "../../data/view/view.js";

export const textStep = new PageStep("text");
export const textRanks = new RankChoice("text", "text");

const shownAs = setting("text.as", "markdown", ["markdown", "raw"]);
export const isRaw = computed(() => shownAs.value === "raw");
export const showRaw = (/** @type {boolean} */ raw) => set({ "text.as": raw ? "raw" : "" });
