// Actions on the marked runs, and the notice about the last one, which can be undone.

import { signal } from "@preact/signals-core";
import { revertingEdits } from "../notes/note_edits.js";
import { NO_NOTE, notes, saveManyNotes } from "../notes/notes.js";
import { change, selection } from "../view/view.js";
import { setBaseline } from "./baseline.js";
import { runs } from "./catalogue.js";
import { markAll, marked, markedRuns, unmarkAll } from "./marked_runs.js";
import { switched } from "./selection.js";

/** @typedef {import("../notes/notes_client.js").NoteEdit} NoteEdit */
/** @typedef {import("../notes/notes_client.js").RunsEdit} RunsEdit */
/** What an action did: "archive", "label", … @typedef {"archive" | "unarchive" | "label" | "unlabel" | "colour"} Kind */

/** The last action: how many runs it changed, why others are as before, and how to undo it.
 * @typedef {object} Notice
 * @property {Kind | "undone"} kind
 * @property {number} count
 * @property {string} detail the label
 * @property {import("../notes/notes_client.js").NoteProblem[]} problems
 * @property {(() => void) | null} undo
 */
/** @type {import("@preact/signals-core").Signal<Notice | null>} */
export const notice = signal(null);

/** Milliseconds for which a notice without problems is shown: long enough to undo what was done. */
const SHOWN = 15_000;
const SHOWN_WITHOUT_UNDO = 4_000;

/** @param {Notice} next */
function announce(next) {
  notice.value = next;
  if (next.problems.length) return;
  setTimeout(() => notice.peek() === next && (notice.value = null), next.undo ? SHOWN : SHOWN_WITHOUT_UNDO);
}

/** Changes the notes of the marked runs. @param {Kind} kind @param {NoteEdit} edit @param {string} [detail] */
export async function editMarked(kind, edit, detail = "") {
  const names = markedRuns.peek();
  if (!names.length) return;
  const edits = [{ runs: names, change: edit }];
  const reverting = revertingEdits(notes.peek(), edits, NO_NOTE);
  if (kind === "archive") unmarkAll();
  const problems = await saveManyNotes(edits);
  const failed = new Set(problems.map(({ run }) => run));
  if (kind === "archive") markAll([...failed], true);
  const undo = undoing(without(reverting, failed));
  announce({ kind, count: names.length - failed.size, detail, problems, undo });
}

/** Returns what saves the edits that restore notes, and announces it; runs that could not be restored can be tried
 * again. @param {RunsEdit[]} edits */
function undoing(edits) {
  const names = edits.flatMap(({ runs }) => runs);
  if (!names.length) return null;
  return async () => {
    const problems = await saveManyNotes(edits);
    const failed = new Set(problems.map(({ run }) => run));
    const restored = new Set(names.filter((run) => !failed.has(run)));
    const undo = undoing(without(edits, restored));
    announce({ kind: "undone", count: restored.size, detail: "", problems, undo });
  };
}

/** @param {RunsEdit[]} edits @param {ReadonlySet<string>} left @returns {RunsEdit[]} */
const without = (edits, left) =>
  edits
    .map(({ runs, change }) => ({ runs: runs.filter((run) => !left.has(run)), change }))
    .filter((edit) => edit.runs.length);

/** Shows or hides the marked runs in charts. @param {boolean} isShown */
export const showMarked = (isShown) =>
  change({ selection: switched(selection.peek(), markedRuns.peek(), isShown, runs.peek().length) });

/** Shows only the marked runs. */
export const showOnlyMarked = () => change({ selection: { mode: "show", runs: new Set(markedRuns.peek()) } });

/** Makes the only marked run the baseline. */
export function baselineFromMarked() {
  const [run] = markedRuns.peek();
  if (run !== undefined && marked.peek().size === 1) setBaseline(run);
}
