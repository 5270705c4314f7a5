// The settings of the tensors page, stored in the address.

import { RankChoice } from "../../data/runs/ranks.js";
import { set, setting } from "../../data/view/view.js";

/** @typedef {"table" | "stats" | "hist" | "diff"} ViewName */

export const VIEWS = /** @type {const} */ (["table", "stats", "hist", "diff"]);

export const ranks = new RankChoice("tensor", "tensor");
/** The tag of the tensor that is shown in detail; "" = the list of all tags. */
export const tag = setting("tensor.tag", "");
/** "" = the first visible run that has the tag. */
export const chosenRun = setting("tensor.run", "");
/** "" = the latest, following new steps. */
export const chosenStep = setting("tensor.step", "");
/** "" = the default slice. */
export const sliceText = setting("tensor.slice", "");
/** @type {import("@preact/signals-core").ReadonlySignal<ViewName>} */
export const view = setting("tensor.view", /** @type {ViewName} */ ("table"), VIEWS);
/**
 * What is subtracted: "" = the previous step, "12" = step 12, "12,run" = step 12 of another run, ",run" = the same
 * step.
 */
export const against = setting("tensor.against", "");
/** "" = chosen from the tensor's range. */
export const decimals = setting("tensor.decimals", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"" | "plain" | "scientific">} */
export const notation = setting("tensor.notation", /** @type {"" | "plain" | "scientific"} */ (""), [
  "",
  "plain",
  "scientific",
]);
/** @type {import("@preact/signals-core").ReadonlySignal<"on" | "off">} */
export const colours = setting("tensor.colours", /** @type {"on" | "off"} */ ("on"), ["on", "off"]);
/**
 * Cells that contain numbers, or small coloured ones.
 * @type {import("@preact/signals-core").ReadonlySignal<"numbers" | "map">}
 */
export const cells = setting("tensor.cells", /** @type {"numbers" | "map"} */ ("numbers"), ["numbers", "map"]);

/** Shows one tensor in detail. @param {string} tag @param {string} run */
export const open = (tag, run) =>
  set({ "tensor.tag": tag, "tensor.run": run, "tensor.step": "", "tensor.slice": "", "tensor.against": "" });

/** Returns to the list. */
export const close = () => open("", "");

/** @param {string} text of tensor.against @returns {{step: number | null, run: string}} */
export function parseAgainst(text) {
  const [, step, run = ""] = /^(-?\d*)(?:,(.*))?$/s.exec(text) ?? [text, "", ""];
  return { step: step === "" || step === "-" ? null : Number(step), run };
}

/** @param {number | null} step @param {string} run "" = the same run */
export const compareWith = (step, run) => set({ "tensor.against": `${step ?? ""}${run ? `,${run}` : ""}` });
