// The groups of the runs, the same in the table, the run list and the charts of scalars.

import { computed } from "@preact/signals-core";
import { styleOf } from "../colours/run_styles.js";
import { noteOf } from "../notes/notes.js";
import { runNames, runsByName } from "../runs/catalogue.js";
import { stateOf } from "../runs/run_state.js";
import { valuesOf } from "../runs/run_values.js";
import { regexFilter } from "../text/regex_filter.js";
import { parseList, printList } from "../view/address_lists.js";
import { set, setting } from "../view/view.js";
import { gathered, joinedGroups, nameWithoutSeed } from "./run_grouping.js";

/** @typedef {import("./run_grouping.js").GroupKey} GroupKey */

const REGEX = "regex:";
const text = setting("runs.group", /** @type {string} */ (""));
/** What the runs are grouped by; none = they are not grouped. */
export const groupKeys = computed(() => /** @type {GroupKey[]} */ (parseList(text.value)));
/** @param {readonly GroupKey[]} keys */
export const groupBy = (keys) => set({ "runs.group": printList(keys), "runs.opened": "" });

/** @param {GroupKey} key */
export function toggleGroupKey(key) {
  const keys = groupKeys.peek();
  groupBy(keys.includes(key) ? keys.filter((other) => other !== key) : [...keys, key]);
}

/** The regular expression among the keys; "" = none. */
export const groupPattern = computed(() => groupKeys.value.find((key) => key.startsWith(REGEX))?.slice(6) ?? "");
/** Why it is invalid; null: it is not. */
export const groupPatternError = computed(() => regexFilter(groupPattern.value).error);
/** @param {string} pattern "" = none */
export const setGroupPattern = (pattern) =>
  groupBy([...groupKeys.peek().filter((key) => !key.startsWith(REGEX)), ...(pattern ? [REGEX + pattern] : [])]);

/** The values that the groups depend on. */
export const groupValues = computed(() => groupKeys.value.filter((key) => key.startsWith("param:")));

/** Returns the groups of a run; null while runs are not grouped. */
export const groupsOf = computed(() => {
  const keys = groupKeys.value;
  return keys.length && !groupPatternError.value ? joinedGroups(keys.map(property)) : null;
});

/** @param {GroupKey} key @returns {import("./run_grouping.js").GroupsOf} */
function property(key) {
  if (key === "all") return () => [""];
  if (key === "labels") return (run) => noteOf(run).labels;
  if (key === "name") return (run) => [nameWithoutSeed(run)];
  if (key === "state") {
    return (run) => {
      const row = runsByName.value.get(run);
      return row ? [stateOf(row)] : [];
    };
  }
  if (key.startsWith(REGEX)) {
    const filter = regexFilter(key.slice(REGEX.length));
    return (run) => listed(filter.groupOf(run));
  }
  const of = valuesOf(key);
  return (run) => listed(of(run));
}

/** @param {import("../text/value_filter.js").Value} value */
const listed = (value) => (value === null || value === "" ? [] : [String(value)]);

/** All groups with their runs and line styles, which do not change when runs are hidden; null while there are none.
 * @type {import("@preact/signals-core").ReadonlySignal<import("./group_order.js").Groups | null>} */
export const runGroups = computed(() => {
  if (!groupsOf.value) return null;
  const { groups } = gathered(runNames.value, groupsOf.value);
  return new Map([...groups].map(([name, runs], at) => [name, { style: styleOf(at), runs: new Set(runs) }]));
});

const openedText = setting("runs.opened", /** @type {string} */ (""));
/** Names of expanded groups. */
export const openedGroups = computed(() => new Set(parseList(openedText.value)));
/** @param {string} name */
export function toggleGroup(name) {
  const names = new Set(openedGroups.peek());
  if (!names.delete(name)) names.add(name);
  set({ "runs.opened": printList([...names]) });
}
