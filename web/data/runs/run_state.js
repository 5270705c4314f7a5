// The state of a run: how grave it is, and the times that belong to it.

/** @typedef {import("../client/api_types.js").RunState} RunState */
/** @typedef {import("../client/api_types.js").Recording} Recording */
/** What has a state: a run or one of its recordings.
 * @typedef {{state: RunState, started: number | null, updated?: number | null, ended: number | null}} Stateful */

/** Gravest first. @type {readonly RunState[]} */
const STATES = ["failed", "lost", "interrupted", "stalled", "running", "finished", "unknown"];

/** The place of a state in that order.
 * @param {string} state one that is not known here counts as unknown */
export function gravityOf(state) {
  const place = STATES.indexOf(/** @type {RunState} */ (state));
  return place < 0 ? STATES.length - 1 : place;
}

/** A state that is not known here counts as unknown. @param {{state: string}} of @returns {RunState} */
export const stateOf = ({ state }) => STATES[gravityOf(state)];

/** Since when a run is in its state, in seconds since 1970; null if that was not recorded.
 * @param {Stateful} of */
export function sinceOf({ state, started, updated = null, ended }) {
  return state === "running" ? started : (ended ?? updated);
}

/** States that an end mark in the files names. */
const MARKED = new Set(["failed", "interrupted", "finished"]);

/** When a run ended; null if that is not known: the files of an unknown run may have been copied since.
 * @param {Pick<Stateful, "state" | "ended">} of */
export const endOf = ({ state, ended }) => (MARKED.has(state) || state === "lost" ? ended : null);

/** How long a run lasted, in seconds: until its end mark or its last value; a rank may outlast one that failed.
 * @param {Stateful} of */
export function lastedOf({ state, started, updated = null, ended }) {
  const end = Math.max(updated ?? -Infinity, (MARKED.has(state) ? ended : null) ?? -Infinity);
  return started === null || end === -Infinity ? null : Math.max(0, end - started);
}

/** The first line of an error: "ValueError: bad shape".
 * @param {import("../client/api_types.js").RunError} error */
export function errorLine({ type, text }) {
  const [first] = text.trim().split("\n");
  return [type, first].filter(Boolean).join(": ");
}

/** Replaces words for states by the states' names: a filter may be typed in the language of the page.
 * @param {string} text @param {(state: RunState) => string} wordOf */
export const withStateNames = (text, wordOf) =>
  STATES.reduce((replaced, state) => replaced.replaceAll(wordOf(state), state), text);

/** The recordings of a run without those that repeat another of the same process: a process may record with several recorders.
 * @template {Pick<Recording, "rank" | "attempt" | "host" | "process_id" | "state" | "command_line" | "error">} Of
 * @param {readonly Of[]} recordings @returns {Of[]} */
export function processesOf(recordings) {
  const keyOf = (/** @type {Of} */ { rank, attempt, host, process_id: id, state, command_line: line, error }) =>
    JSON.stringify([rank, attempt, host, id, state, line, error && [error.type, error.text]]);
  const isKnown = (/** @type {Of} */ { process_id: id }) => id !== null;
  const last = new Map(recordings.map((each) => [keyOf(each), each]));
  return recordings.filter((each) => !isKnown(each) || last.get(keyOf(each)) === each);
}

/** The newest recordings first, and of those that started together the gravest.
 * @param {readonly Recording[]} recordings */
export function orderedRecordings(recordings) {
  const byRank = Map.groupBy(recordings, ({ rank }) => rank);
  const ages = new Map(
    [...byRank.values()].flatMap((ofRank) =>
      ofRank
        .toSorted((a, b) => (b.started ?? 0) - (a.started ?? 0))
        .map((recording, age) => /** @type {const} */ ([recording, age])),
    ),
  );
  const ageOf = (/** @type {Recording} */ recording) => ages.get(recording) ?? 0;
  return recordings.toSorted(
    (a, b) => ageOf(a) - ageOf(b) || gravityOf(a.state) - gravityOf(b.state) || a.rank - b.rank,
  );
}

/** The command line of all recordings; null if they differ or have none.
 * @param {readonly Recording[]} recordings */
export function commonCommandLine(recordings) {
  const lines = new Set(recordings.map(({ command_line: line }) => line));
  return lines.size === 1 ? ([...lines][0] ?? null) : null;
}
