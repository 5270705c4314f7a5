// The settings of the lineage page, stored in the address.

import { computed } from "@preact/signals-core";
import { ThrottledSetting } from "../../controls/throttled_setting.js";
import { colourBy } from "../../data/colours/colour_by.js";
import { groupsOf } from "../../data/groups/run_groups.js";
import { sortedBy, sortingNames, sortingOf } from "../../data/text/sorting.js";
import { parseList, printList } from "../../data/view/address_lists.js";
import { set, setting } from "../../data/view/view.js";
import { parseBrushes, printBrushes } from "./model/brush.js";

/** @typedef {import("./model/brush.js").Brush} Brush */

/** A list that the user emptied; an empty setting means the default. */
const EMPTY_LIST = ",";
/** @param {readonly string[]} parts */
const printSelection = (parts) => printList(parts) || EMPTY_LIST;

/** All runs, or only those that are visible on the other pages. */
export const scope = setting("lineage.runs", "", ["", "drawn"]);
/** Columns of training, or of data. */
export const part = setting("lineage.part", "", ["", "data"]);
/** @param {string} name of a list of columns, which is separate for each part */
const partSetting = (name) => `lineage.${part.value ? `${part.value}_` : ""}${name}`;

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
/** Ids of the columns that the user chose, in order; null = the default. */
export const chosenAxes = chosen("axes");
export const chosenColumns = chosen("columns");
/** @param {"axes" | "columns"} name @param {readonly string[] | null} ids null = the default */
export const choose = (name, ids) => set({ [partSetting(name)]: ids ? printSelection(ids) : "" });

const targetText = setting("lineage.target", /** @type {string} */ (""));
export const chosenTarget = targetText;
/** @param {string} id */
export const setTarget = (id) => set({ "lineage.target": id });
const lineColourText = setting("lineage.lines", /** @type {"" | "target" | "run"} */ (""), ["", "target", "run"]);
/** Without a choice, lines have the runs' colours if these are grouped or coloured by a value. */
const defaultLineColour = computed(() => (groupsOf.value || colourBy.value ? "run" : "target"));
/** Colour of the lines: by target, or that of the run or its group. */
export const lineColour = computed(() => lineColourText.value || defaultLineColour.value);
/** @param {string} colour */
export const setLineColour = (colour) => set({ "lineage.lines": colour === defaultLineColour.peek() ? "" : colour });

const toggledLogText = setting("lineage.log", /** @type {string} */ (""));
/** Columns whose axis scale differs from the default: linear instead of logarithmic, or vice versa. */
export const toggledLogs = computed(() => new Set(parseList(toggledLogText.value)));
/** @param {string} id */
export function toggleLog(id) {
  const ids = new Set(toggledLogs.peek());
  if (!ids.delete(id)) ids.add(id);
  set({ "lineage.log": printList([...ids]) });
}

const brushSetting = new ThrottledSetting("lineage.brush");
/** The brushes; while one is moved they change with every frame. */
export const brushes = computed(() => parseBrushes(brushSetting.text.value));
const brushText = setting("lineage.brush", /** @type {string} */ (""));
/**
 * The brushes as stored in the address: while one is moved they follow a few times a second, for expensive drawings.
 */
export const appliedBrushes = computed(() => parseBrushes(brushText.value));
export const areBrushesApplied = computed(() => brushSetting.text.value === brushText.value);
/** @param {string} id @param {Brush | null} brush @param {boolean} [isMoving] whether it will change again soon */
export function setBrush(id, brush, isMoving = false) {
  const all = new Map(brushes.peek());
  if (brush) all.set(id, brush);
  else all.delete(id);
  brushSetting[isMoving ? "set" : "setNow"](printBrushes(all));
}
export const clearBrushes = () => brushSetting.setNow("");

const sortText = setting("lineage.sort", /** @type {string} */ (""));
export const sorting = computed(() => sortingOf(parseList(sortText.value)));
/**
 * @param {string} id @param {boolean} isAdded whether to sort by the other columns first
 * @param {boolean} isDescendingFirst
 */
export const sortBy = (id, isAdded, isDescendingFirst) =>
  set({ "lineage.sort": printList(sortingNames(sortedBy(sorting.peek(), id, isAdded, isDescendingFirst))) });

/** Columns of the scatter plot; "" = the default, for the third column: none. */
export const chosenX = setting("lineage.x", /** @type {string} */ (""));
export const chosenY = setting("lineage.y", /** @type {string} */ (""));
export const chosenThird = setting("lineage.colour", /** @type {string} */ (""));
export const thirdEncoding = setting("lineage.third", "", ["", "size"]);

const hiddenText = setting("lineage.hidden", /** @type {string} */ (""));
/** Runs that are hidden on this page, or the only ones that are shown; null if none is hidden.
 * The list is prefixed by "-" if it is hidden and "+" if only it is shown. */
export const visibility = computed(() => {
  const text = hiddenText.value;
  return /^[-+]/.test(text) ? { isOnly: text[0] === "+", runs: new Set(parseList(text.slice(1))) } : null;
});
/** @param {readonly string[]} runs */
export const showOnly = (runs) => set({ "lineage.hidden": `+${printList(runs)}` });
/** @param {readonly string[]} runs */
export function hide(runs) {
  const now = visibility.peek();
  const added = new Set(runs);
  if (now?.isOnly) return showOnly([...now.runs].filter((run) => !added.has(run)));
  set({ "lineage.hidden": `-${printList([...new Set([...(now?.runs ?? []), ...runs])])}` });
}
export const showAll = () => set({ "lineage.hidden": "" });
