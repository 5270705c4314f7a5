// Which runs are visible: all except some, or only some. New runs follow the same rule.

/** @typedef {{mode: "hide" | "show", runs: ReadonlySet<string>}} Selection */

/** @type {Selection} */
export const EVERYTHING = { mode: "hide", runs: new Set() };
/** @type {Selection} */
export const NOTHING = { mode: "show", runs: new Set() };

/** @param {Selection} selection @param {string} run */
export const isShown = (selection, run) => selection.runs.has(run) === (selection.mode === "show");

/** @param {string} run @returns {Selection} */
export const only = (run) => ({ mode: "show", runs: new Set([run]) });

/** @param {Selection} selection @param {string} run @returns {Selection} */
export function toggled(selection, run) {
  const runs = new Set(selection.runs);
  if (!runs.delete(run)) runs.add(run);
  return { mode: selection.mode, runs };
}

/** Shows or hides several runs.
 * @param {Selection} selection @param {readonly string[]} names @param {boolean} isOn
 * @param {number} count of all runs @returns {Selection} */
export function switched({ mode, runs }, names, isOn, count) {
  if (names.length === count) return isOn ? EVERYTHING : NOTHING;
  const some = new Set(names);
  return {
    mode,
    runs: (mode === "show") === isOn ? new Set([...runs, ...some]) : new Set([...runs].filter((run) => !some.has(run))),
  };
}
