// Requests for the notes on runs.

import { fetchJson, postJson } from "../client/client.js";

/** @typedef {object} Note
 * @property {string | null} alias
 * @property {string} note Markdown
 * @property {string[]} labels
 * @property {string | null} colour "#rrggbb"
 * @property {boolean} hidden
 * @property {boolean} archived
 */

/** @param {AbortSignal} signal
 * @returns {Promise<{revision: number, runs: Record<string, Note>, problems: string[], read_only: boolean}>} */
export const listNotes = (signal) => fetchJson("notes", { signal });

/** Fields that replace those of a note, and labels that are added and removed.
 * @typedef {Partial<Note> & {add_labels?: readonly string[], remove_labels?: readonly string[]}} NoteEdit */
/** The same change of several runs. @typedef {{runs: readonly string[], change: NoteEdit}} RunsEdit */
/** Why the note of a run is as before; without a detail, the server did not respond. @typedef {{run: string, detail: string}} NoteProblem */

/** Changes the notes of many runs, of each wholly or not at all.
 * @param {readonly RunsEdit[]} changes @returns {Promise<{revision: number, changed: number, problems: NoteProblem[]}>} */
export const changeManyNotes = (changes) => postJson("notes", { changes });

/** Replaces the fields of the patch.
 * @param {string} run @param {Partial<Note>} patch @returns {Promise<{revision: number, run: string, notes: Note}>} */
export const changeNotes = (run, patch) =>
  fetchJson(`notes?${new URLSearchParams({ run })}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(patch),
  });
