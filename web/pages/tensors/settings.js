// The settings of the tensors page, all of them in the address.

import { RankChoice } from "../../data/ranks.js";
import { set, setting } from "../../data/view.js";

/** @typedef {"table" | "stats" | "hist" | "diff"} ViewName */

export const VIEWS = /** @type {const} */ (["table", "stats", "hist", "diff"]);

export const ranks = new RankChoice("tensor", "tensor");
/** The tensor that is looked at; "" = the list of all. */
export const tag = setting("tensor.tag", "");
/** "" = the first drawn run that has it. */
export const chosenRun = setting("tensor.run", "");
/** "" = the last, also when another one comes. */
export const chosenStep = setting("tensor.step", "");
/** "" = the usual one. */
export const sliceText = setting("tensor.slice", "");
/** @type {import("@preact/signals-core").ReadonlySignal<ViewName>} */
export const view = setting("tensor.view", /** @type {ViewName} */ ("table"), VIEWS);
/** What differences are taken to: "" = the step before, "12" = that step, "12,run" = that step of another run, ",run" = the same step. */
export const against = setting("tensor.against", "");
/** "" = as many as the tensor's extent asks for. */
export const decimals = setting("tensor.decimals", "");
/** @type {import("@preact/signals-core").ReadonlySignal<"" | "plain" | "scientific">} */
export const notation = setting("tensor.notation", /** @type {"" | "plain" | "scientific"} */ (""), [
  "",
  "plain",
  "scientific",
]);
/** @type {import("@preact/signals-core").ReadonlySignal<"on" | "off">} */
export const colours = setting("tensor.colours", /** @type {"on" | "off"} */ ("on"), ["on", "off"]);
/** Cells with numbers in them, or as small as a pixel of a picture. @type {import("@preact/signals-core").ReadonlySignal<"numbers" | "map">} */
export const cells = setting("tensor.cells", /** @type {"numbers" | "map"} */ ("numbers"), ["numbers", "map"]);

/** Opens one tensor. @param {string} tag @param {string} run */
export const open = (tag, run) =>
  set({ "tensor.tag": tag, "tensor.run": run, "tensor.step": "", "tensor.slice": "", "tensor.against": "" });

/** Back to the list. */
export const close = () => open("", "");

/** @param {string} text of tensor.against @returns {{step: number | null, run: string}} */
export function againstOf(text) {
  const [, step, run = ""] = /^(-?\d*)(?:,(.*))?$/s.exec(text) ?? [text, "", ""];
  return { step: step === "" || step === "-" ? null : Number(step), run };
}

/** @param {number | null} step @param {string} run "" = the same */
export const compareWith = (step, run) => set({ "tensor.against": `${step ?? ""}${run ? `,${run}` : ""}` });
