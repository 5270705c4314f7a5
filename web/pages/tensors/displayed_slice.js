// The displayed part of one tensor: run, step, slice, and the tensor that it is compared with.

import { computed, signal } from "@preact/signals-core";
import { indexAtOrBefore as placeAmong } from "../../controls/steps.js";
import { PluginTags } from "../../data/tags/plugin_tags.js";
import { set } from "../../data/view/view.js";
import { readPart } from "./model/client.js";
import { layoutOf } from "./model/layout.js";
import { difference } from "./model/npy.js";
import { parseSlice, printSlice } from "./model/slice.js";
import { disposeAll, stepsOf } from "./series_steps.js";
import { against, chosenRun, chosenStep, parseAgainst, ranks, sliceText, tag, view } from "./settings.js";

/** @typedef {import("./series_steps.js").Entry} Entry */
/** @typedef {import("./model/slice.js").Part} Part */

/** A source of elements. @typedef {object} Source
 * @property {string} key equal for equal elements
 * @property {import("./model/layout.js").Layout} layout
 * @property {(parts: Part[], signal: AbortSignal) => Promise<import("./model/npy.js").Elements>} read
 */

export const tags = new PluginTags("tensor");
/** Visible runs that have the tag, and the chosen one. */
export const runs = computed(() => {
  const having = (tags.runsByTag.value.get(tag.value) ?? []).map((row) => row.run);
  return chosenRun.value && !having.includes(chosenRun.value) ? [chosenRun.value, ...having] : having;
});
export const run = computed(() => chosenRun.value || (runs.value[0] ?? ""));

/** @param {import("@preact/signals-core").ReadonlySignal<string>} name */
const seriesOf = (name) =>
  computed(() => (tag.value && name.value ? { run: name.value, tag: tag.value, ...ranks.query.value } : null));
const requestedStep = computed(() => (/^-?\d+$/.test(chosenStep.value) ? Number(chosenStep.value) : null));
export const steps = stepsOf(seriesOf(run), requestedStep);

/** The index of the shown step: the requested one or the last before it; without a request the latest. */
export const stepIndex = computed(() => {
  const entries = steps.entries.value ?? [];
  return (
    entries.length &&
    Math.max(
      0,
      placeAmong(
        entries.map(({ step }) => step),
        requestedStep.value ?? Infinity,
      ),
    )
  );
});
/** The requested step if the run has no tensor at it; else null. */
export const missingStep = computed(() =>
  entry.value && requestedStep.value !== null && entry.value.step !== requestedStep.value ? requestedStep.value : null,
);
/** @type {import("@preact/signals-core").ReadonlySignal<Entry | null>} */
export const entry = computed(() => steps.entries.value?.[stepIndex.value] ?? null);

/** Shows a step; the last one means the latest, following new steps.
 * @param {number} index */
export function showStep(index) {
  const entries = steps.entries.peek() ?? [];
  set({ "tensor.step": index >= entries.length - 1 ? "" : String(entries[Math.max(0, index)]?.step ?? "") });
}

const dims = computed(() => JSON.stringify(entry.value?.dims ?? null));
/** The slice of the shown tensor; changes only if the dimensions or the text do. */
export const slice = computed(() => {
  const sizes = /** @type {number[] | null} */ (JSON.parse(dims.value));
  return sizes && parseSlice(sliceText.value, sizes);
});
/**
 * Input that is not a valid slice, until it is corrected.
 * @type {import("@preact/signals-core").Signal<{texts: string[], problem: import("./model/slice.js").Problem} | null>}
 */
export const invalidInput = signal(null);

/** @param {string} text */
export function showSlice(text) {
  invalidInput.value = null;
  set({ "tensor.slice": text });
}

/** Whether the tensor contains numbers. */
export const hasNumbers = computed(() =>
  Boolean(entry.value && (entry.value.count > 0 || entry.value.dims.includes(0))),
);

const comparison = computed(() => parseAgainst(against.value));
export const otherRun = computed(() => comparison.value.run || run.value);
const isSameRun = computed(() => otherRun.value === run.value);
const differentRun = computed(() => (view.value === "diff" && !isSameRun.value ? otherRun.value : ""));
const otherSteps = stepsOf(
  seriesOf(differentRun),
  computed(() => (isSameRun.value ? null : comparison.value.step)),
);
const sameRunSteps = stepsOf(
  computed(() =>
    view.value === "diff" && isSameRun.value && comparison.value.step !== null
      ? { run: run.value, tag: tag.value, ...ranks.query.value }
      : null,
  ),
  computed(() => comparison.value.step),
);
export const otherEntries = computed(
  () => (isSameRun.value ? (comparison.value.step === null ? steps : sameRunSteps) : otherSteps).entries.value,
);

/**
 * The tensor to compare with: at the chosen step, or the previous step; in another run at the same step or the last
 * before it.
 * @type {import("@preact/signals-core").ReadonlySignal<Entry | null>} */
export const otherEntry = computed(() => {
  const entries = otherEntries.value ?? [];
  if (comparison.value.step !== null) return entries.find(({ step }) => step === comparison.value.step) ?? null;
  if (isSameRun.value) return entries[stepIndex.value - 1] ?? null;
  return entries.findLast(({ step }) => step <= (entry.value?.step ?? 0)) ?? entries[0] ?? null;
});

/** @param {string} run @param {Entry} entry @returns {import("./model/client.js").TensorPoint} */
export const pointOf = (run, { step, wall_time: wallTime }) => ({
  run,
  tag: tag.peek(),
  step,
  wallTime,
  ...ranks.query.value,
});

/** The elements of the shown tensor. @type {import("@preact/signals-core").ReadonlySignal<Source | null>} */
export const source = computed(() => {
  if (!entry.value || !slice.value || !hasNumbers.value) return null;
  const from = pointOf(run.value, entry.value);
  const { parts } = slice.value;
  return {
    key: JSON.stringify([tag.value, from, printSlice(parts)]),
    layout: layoutOf(parts),
    read: (subParts, signal) => readPart(from, printSlice(subParts), signal),
  };
});

/** Why there is no difference: nothing to compare with, or different dimensions. */
export const differenceProblem = computed(() => {
  if (!entry.value) return null;
  if (!otherEntry.value) return /** @type {const} */ ("none");
  return JSON.stringify(otherEntry.value.dims) === dims.value ? null : /** @type {const} */ ("dims");
});

/** The shown tensor minus the other one. @type {import("@preact/signals-core").ReadonlySignal<Source | null>} */
export const differenceSource = computed(() => {
  const shown = source.value;
  if (!shown || differenceProblem.value || !otherEntry.value) return null;
  const from = pointOf(otherRun.value, otherEntry.value);
  return {
    key: JSON.stringify([shown.key, from]),
    layout: shown.layout,
    read: async (parts, signal) =>
      difference(...(await Promise.all([shown.read(parts, signal), readPart(from, printSlice(parts), signal)]))),
  };
});

export const follow = () => disposeAll([tags.follow(), steps.follow(), otherSteps.follow(), sameRunSteps.follow()]);
