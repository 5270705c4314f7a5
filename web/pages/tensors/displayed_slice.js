// What the page shows of one tensor: which run, which step, which slice, and what it is compared with.

import { computed, signal } from "@preact/signals-core";
import { indexAtOrBefore as placeAmong } from "../../controls/steps.js";
import { PluginTags } from "../../data/plugin_tags.js";
import { set } from "../../data/view.js";
import { readPart } from "./model/client.js";
import { layoutOf } from "./model/layout.js";
import { difference } from "./model/npy.js";
import { parseSlice, printSlice } from "./model/slice.js";
import { stepsOf, together } from "./series_steps.js";
import { against, againstOf, chosenRun, chosenStep, ranks, sliceText, tag, view } from "./settings.js";

/** @typedef {import("./series_steps.js").Entry} Entry */
/** @typedef {import("./model/slice.js").Part} Part */

/** Where elements come from. @typedef {object} Source
 * @property {string} key the same for the same elements
 * @property {import("./model/layout.js").Layout} layout
 * @property {(parts: Part[], signal: AbortSignal) => Promise<import("./model/npy.js").Elements>} read
 */

export const tags = new PluginTags("tensor");
/** Drawn runs that have the tag, and the one that is shown. */
export const runs = computed(() => {
  const having = (tags.runsByTag.value.get(tag.value) ?? []).map((row) => row.run);
  return chosenRun.value && !having.includes(chosenRun.value) ? [chosenRun.value, ...having] : having;
});
export const run = computed(() => chosenRun.value || (runs.value[0] ?? ""));

/** @param {import("@preact/signals-core").ReadonlySignal<string>} name */
const seriesOf = (name) =>
  computed(() => (tag.value && name.value ? { run: name.value, tag: tag.value, ...ranks.query.value } : null));
const wanted = computed(() => (/^-?\d+$/.test(chosenStep.value) ? Number(chosenStep.value) : null));
export const steps = stepsOf(seriesOf(run), wanted);

/** Which of the steps is shown: the one that was chosen, or the last before it; the last of all when none was chosen. */
export const place = computed(() => {
  const entries = steps.entries.value ?? [];
  return (
    entries.length &&
    Math.max(
      0,
      placeAmong(
        entries.map(({ step }) => step),
        wanted.value ?? Infinity,
      ),
    )
  );
});
/** The step that was chosen, where this run has nothing at it; else null. */
export const unmet = computed(() =>
  entry.value && wanted.value !== null && entry.value.step !== wanted.value ? wanted.value : null,
);
/** @type {import("@preact/signals-core").ReadonlySignal<Entry | null>} */
export const entry = computed(() => steps.entries.value?.[place.value] ?? null);

/** Shows a step; the last one stays the last when another comes.
 * @param {number} index */
export function showStep(index) {
  const entries = steps.entries.peek() ?? [];
  set({ "tensor.step": index >= entries.length - 1 ? "" : String(entries[Math.max(0, index)]?.step ?? "") });
}

const dims = computed(() => JSON.stringify(entry.value?.dims ?? null));
/** Of the tensor that is shown; told only when it changes. */
export const slice = computed(() => {
  const sizes = /** @type {number[] | null} */ (JSON.parse(dims.value));
  return sizes && parseSlice(sliceText.value, sizes);
});
/** What was typed and cannot be, until it can. @type {import("@preact/signals-core").Signal<{texts: string[], problem: import("./model/slice.js").Problem} | null>} */
export const draft = signal(null);

/** @param {string} text */
export function showSlice(text) {
  draft.value = null;
  set({ "tensor.slice": text });
}

/** Does the tensor hold numbers? */
export const hasNumbers = computed(() =>
  Boolean(entry.value && (entry.value.count > 0 || entry.value.dims.includes(0))),
);

const other = computed(() => againstOf(against.value));
export const otherRun = computed(() => other.value.run || run.value);
const isSameRun = computed(() => otherRun.value === run.value);
const unlikeRun = computed(() => (view.value === "diff" && !isSameRun.value ? otherRun.value : ""));
const otherSteps = stepsOf(
  seriesOf(unlikeRun),
  computed(() => (isSameRun.value ? null : other.value.step)),
);
const namedHere = stepsOf(
  computed(() =>
    view.value === "diff" && isSameRun.value && other.value.step !== null
      ? { run: run.value, tag: tag.value, ...ranks.query.value }
      : null,
  ),
  computed(() => other.value.step),
);
export const otherEntries = computed(
  () => (isSameRun.value ? (other.value.step === null ? steps : namedHere) : otherSteps).entries.value,
);

/** What the tensor is compared with: the step that was chosen, else the one before, or of another run the nearest up to this one.
 * @type {import("@preact/signals-core").ReadonlySignal<Entry | null>} */
export const otherEntry = computed(() => {
  const entries = otherEntries.value ?? [];
  if (other.value.step !== null) return entries.find(({ step }) => step === other.value.step) ?? null;
  if (isSameRun.value) return entries[place.value - 1] ?? null;
  return entries.findLast(({ step }) => step <= (entry.value?.step ?? 0)) ?? entries[0] ?? null;
});

/** @param {string} run @param {Entry} entry @returns {import("./model/client.js").Place} */
export const placeOf = (run, { step, wall_time: wallTime }) => ({
  run,
  tag: tag.peek(),
  step,
  wallTime,
  ...ranks.query.value,
});

/** The elements of the tensor that is shown. @type {import("@preact/signals-core").ReadonlySignal<Source | null>} */
export const source = computed(() => {
  if (!entry.value || !slice.value || !hasNumbers.value) return null;
  const from = placeOf(run.value, entry.value);
  const { parts } = slice.value;
  return {
    key: JSON.stringify([tag.value, from, printSlice(parts)]),
    layout: layoutOf(parts),
    read: (some, signal) => readPart(from, printSlice(some), signal),
  };
});

/** Why there is no difference: nothing to compare with, or other dims. */
export const obstacle = computed(() => {
  if (!entry.value) return null;
  if (!otherEntry.value) return /** @type {const} */ ("none");
  return JSON.stringify(otherEntry.value.dims) === dims.value ? null : /** @type {const} */ ("dims");
});

/** The tensor that is shown minus the other one. @type {import("@preact/signals-core").ReadonlySignal<Source | null>} */
export const differenceSource = computed(() => {
  const shown = source.value;
  if (!shown || obstacle.value || !otherEntry.value) return null;
  const from = placeOf(otherRun.value, otherEntry.value);
  return {
    key: JSON.stringify([shown.key, from]),
    layout: shown.layout,
    read: async (parts, signal) =>
      difference(...(await Promise.all([shown.read(parts, signal), readPart(from, printSlice(parts), signal)]))),
  };
});

export const follow = () => together([tags.follow(), steps.follow(), otherSteps.follow(), namedHere.follow()]);
