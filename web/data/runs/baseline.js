// The baseline: the run that others are compared to.

import { computed } from "@preact/signals-core";
import { set, setting } from "../view/view.js";
import { runsByName } from "./catalogue.js";

const chosen = setting("app.baseline", /** @type {string} */ (""));

/** The name of the baseline; "" = there is none. */
export const baseline = computed(() => (runsByName.value.has(chosen.value) ? chosen.value : ""));

/** @param {string} run "" = none */
export const setBaseline = (run) => set({ "app.baseline": run });
