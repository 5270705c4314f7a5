// The settings of the lineage page, as they stand in the address.

import { computed, signal } from "@preact/signals-core";
import { sortedBy, sortingNames, sortingOf } from "../../controls/table_rows.js";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { parseList, printList } from "../../data/address_lists.js";
import { set, setting } from "../../data/view.js";
import { parseBrushes, printBrushes } from "./model/brush.js";

/** @typedef {import("./model/brush.js").Brush} Brush */

/** A list of nothing, as somebody chose it: an empty setting is as usual. */
const NOTHING = ",";
/** @param {readonly string[]} parts */
const printChosen = (parts) => printList(parts) || NOTHING;

/** All runs, or those that the other pages draw. */
export const scope = setting("lineage.runs", "", ["", "drawn"]);
/** What runs were trained with, or what their data went through. */
export const part = setting("lineage.part", "", ["", "data"]);
/** @param {string} name of a list of columns: each part has its own */
const ofPart = (name) => `lineage.${part.value ? `${part.value}_` : ""}${name}`;

const texts = {
  axes: setting("lineage.axes", /** @type {string} */ ("")),
  data_axes: setting("lineage.data_axes", /** @type {string} */ ("")),
  columns: setting("lineage.columns", /** @type {string} */ ("")),
  data_columns: setting("lineage.data_columns", /** @type {string} */ ("")),
};
const chosen = (/** @type {"axes" | "columns"} */ name) =>
  computed(() => {
    const text = texts[part.value ? /** @type {"data_axes"} */ (`data_${name}`) : name].value;
    return text ? parseList(text) : null;
  });
/** Ids of the columns that somebody chose, in their order; null = as usual. */
export const chosenAxes = chosen("axes");
export const chosenColumns = chosen("columns");
/** @param {"axes" | "columns"} name @param {readonly string[] | null} ids null: as usual */
export const choose = (name, ids) => set({ [ofPart(name)]: ids ? printChosen(ids) : "" });

const targetText = setting("lineage.target", /** @type {string} */ (""));
export const chosenTarget = targetText;
/** @param {string} id */
export const setTarget = (id) => set({ "lineage.target": id });
/** What colours the lines: the target, or the colour of the run. */
export const lineInk = setting("lineage.lines", "", ["", "run"]);

const turnedText = setting("lineage.log", /** @type {string} */ (""));
/** Columns whose axis is linear where it usually is logarithmic, or the other way. */
export const turnedLogs = computed(() => new Set(parseList(turnedText.value)));
/** @param {string} id */
export function turnLog(id) {
  const ids = new Set(turnedLogs.peek());
  if (!ids.delete(id)) ids.add(id);
  set({ "lineage.log": printList([...ids]) });
}

const brushSetting = new ThrottledSetting("lineage.brush");
/** While a brush is moved they change with every frame. */
export const brushes = computed(() => parseBrushes(brushSetting.text.value));
const brushText = setting("lineage.brush", /** @type {string} */ (""));
/** While a brush is moved they follow a few times a second: for what costs more to draw. */
export const settledBrushes = computed(() => parseBrushes(brushText.value));
export const isSettled = computed(() => brushSetting.text.value === brushText.value);
/** @param {string} id @param {Brush | null} brush @param {boolean} [isMoving] it will change again soon */
export function brush(id, brush, isMoving = false) {
  const all = new Map(brushes.peek());
  if (brush) all.set(id, brush);
  else all.delete(id);
  brushSetting[isMoving ? "set" : "setNow"](printBrushes(all));
}
export const clearBrushes = () => brushSetting.setNow("");

const sortText = setting("lineage.sort", /** @type {string} */ (""));
export const sorting = computed(() => sortingOf(parseList(sortText.value)));
/** @param {string} id @param {boolean} keep the other columns @param {boolean} downFirst */
export const sortBy = (id, keep, downFirst) =>
  set({ "lineage.sort": printList(sortingNames(sortedBy(sorting.peek(), id, keep, downFirst))) });

/** Columns of the scatter; "" = as usual, of the third: none. */
export const chosenX = setting("lineage.x", /** @type {string} */ (""));
export const chosenY = setting("lineage.y", /** @type {string} */ (""));
export const chosenThird = setting("lineage.colour", /** @type {string} */ (""));
export const thirdIs = setting("lineage.third", "", ["", "size"]);

const hiddenText = setting("lineage.hidden", /** @type {string} */ (""));
/** Runs that are hidden on this page, or the only ones shown; null = none is hidden.
 * "-" before the list hides, "+" shows only these. */
export const hiding = computed(() => {
  const text = hiddenText.value;
  return /^[-+]/.test(text) ? { isOnly: text[0] === "+", runs: new Set(parseList(text.slice(1))) } : null;
});
/** @param {readonly string[]} runs */
export const showOnly = (runs) => set({ "lineage.hidden": `+${printList(runs)}` });
/** @param {readonly string[]} runs */
export function hide(runs) {
  const now = hiding.peek();
  const some = new Set(runs);
  if (now?.isOnly) return showOnly([...now.runs].filter((run) => !some.has(run)));
  set({ "lineage.hidden": `-${printList([...new Set([...(now?.runs ?? []), ...runs])])}` });
}
export const showAll = () => set({ "lineage.hidden": "" });

/** Runs ticked in the table. @type {import("@preact/signals-core").Signal<ReadonlySet<string>>} */
export const ticked = signal(new Set());
