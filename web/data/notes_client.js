// Requests for the notes on runs.

import { fetchJson } from "./client.js";

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

/** Replaces the fields of the patch.
 * @param {string} run @param {Partial<Note>} patch @returns {Promise<{revision: number, run: string, notes: Note}>} */
export const changeNotes = (run, patch) =>
  fetchJson(`notes?${new URLSearchParams({ run })}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(patch),
  });
