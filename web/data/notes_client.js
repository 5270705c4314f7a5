// What users say about runs, kept by the server.

import { ask } from "./client.js";

/** @typedef {object} Note
 * @property {string | null} alias
 * @property {string} note Markdown
 * @property {string[]} tags
 * @property {string | null} colour "#rrggbb"
 * @property {boolean} hidden
 * @property {boolean} archived
 */

/** @returns {Promise<{revision: number, runs: Record<string, Note>, problems: string[]}>} */
export const listNotes = () => ask("notes");

/** Replaces the fields that the patch holds.
 * @param {string} run @param {Partial<Note>} patch @returns {Promise<{revision: number, run: string, notes: Note}>} */
export const changeNotes = (run, patch) =>
  ask(`notes?${new URLSearchParams({ run })}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(patch),
  });
