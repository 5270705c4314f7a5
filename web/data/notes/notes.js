// Notes of users on runs: shown immediately, stored by the server, shared by all viewers of the logdir.

import { computed, effect, signal } from "@preact/signals-core";
import { RequestError } from "../client/client.js";
import { Query } from "../client/query.js";
import { runsByName } from "../runs/catalogue.js";
import { searchNamesHidden } from "../runs/run_search.js";
import { changes } from "../runs/run_versions.js";
import { followsServer } from "../snapshot/state.js";
import { set, setting } from "../view/view.js";
import { editedNotes, requestsOf } from "./note_edits.js";
import { changeManyNotes, changeNotes, listNotes } from "./notes_client.js";

/** @typedef {import("./notes_client.js").Note} Note */
/** @typedef {import("./notes_client.js").RunsEdit} RunsEdit */
/** @typedef {import("./notes_client.js").NoteProblem} NoteProblem */

/** @type {Note} */
export const NO_NOTE = { alias: null, note: "", labels: [], colour: null, hidden: false, archived: false };

/** Fetched at most this often, in milliseconds, while points arrive. */
const INTERVAL = 1000;

/** By run; runs without a note are absent. Fetched while the signal is observed.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Note>>} */
export const notes = signal(new Map(), { watched: () => queueMicrotask(follow), unwatched: unfollow });
/** Notes that the server could not read, a message each. @type {import("@preact/signals-core").Signal<string[]>} */
export const noteProblems = signal([]);
/** Can no notes be stored, as the server is read-only or this is a snapshot? */
export const areNotesOff = signal(false);
/** The error of the last change of a run, if it was not saved.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Error>>} */
export const saveErrors = signal(new Map());

/** The changes being saved or waiting, by run. @type {Map<string, Promise<void>>} */
const saving = new Map();
/** @type {typeof noteList.value.value} */
let lastReply = null;

const shownSetting = setting("over.away", "", ["", "shown"]);
/** Are hidden and archived runs listed and drawn like all others? */
export const areHiddenShown = computed(() => shownSetting.value === "shown");
/** @param {boolean} shown */
export const showHidden = (shown) => set({ "over.away": shown ? "shown" : "" });

/** Existing runs that are hidden or archived. */
export const hiddenRuns = computed(() => {
  const hidden = [...notes.value].filter(([run, note]) => (note.hidden || note.archived) && runsByName.value.has(run));
  return new Set(hidden.map(([run]) => run));
});
/** @type {ReadonlySet<string>} */
const NO_RUNS = new Set();
/** The runs that are neither listed nor drawn: all hidden ones, unless they are shown or the search asks
 * for such runs. */
export const excludedRuns = computed(() =>
  areHiddenShown.value || searchNamesHidden.value ? NO_RUNS : hiddenRuns.value,
);

/** @param {string} run */
export const noteOf = (run) => notes.value.get(run) ?? NO_NOTE;

/** All labels of runs, in alphabetical order. */
export const allLabels = computed(() => [...new Set([...notes.value.values()].flatMap((note) => note.labels))].sort());

/** @type {Query<Awaited<ReturnType<typeof listNotes>>>} */
const noteList = new Query((_key, signal) => listNotes(signal), { interval: INTERVAL });
noteList.select("notes");

/** @type {Array<() => void>} */
let stops = [];

/** Follows the changes of all viewers. */
function follow() {
  if (stops.length) return;
  stops = [
    noteList.observe(() => {
      changes.value; // A changed note is announced as a changed run.
      noteList.invalidate();
    }),
    effect(() => publishReply(noteList.value.value)),
  ];
}

function unfollow() {
  for (const stop of stops.splice(0)) stop();
}

/** A reply that arrives while a change is being saved may be older than the change: it is dropped.
 * @param {typeof noteList.value.value} reply */
function publishReply(reply) {
  areNotesOff.value = (reply?.read_only ?? false) || !followsServer();
  const isDropped = !reply || reply === lastReply || saving.size > 0;
  lastReply = reply;
  if (isDropped || JSON.stringify(reply.runs) === JSON.stringify(Object.fromEntries(notes.peek()))) return;
  notes.value = new Map(Object.entries(reply.runs));
  noteProblems.value = reply.problems;
}

/** Applies a change immediately and saves it; changes of a run are saved in order. If saving fails, the change is
 * reverted and `saveErrors` has the error.
 * @param {string} run @param {Partial<Note>} patch */
export function saveNotes(run, patch) {
  const before = noteOf(run);
  publish(run, { ...before, ...patch });
  const previous = /** @type {Partial<Note>} */ (
    Object.fromEntries(Object.keys(patch).map((name) => [name, before[/** @type {keyof Note} */ (name)]]))
  );
  const saved = (saving.get(run) ?? Promise.resolve()).then(() => save(run, patch, previous));
  saving.set(run, saved);
  return saved.finally(() => {
    if (saving.get(run) === saved) saving.delete(run);
    if (!saving.size) noteList.invalidate(); // Replies in the meantime were dropped.
  });
}

/** Applies changes of many runs immediately and saves them; what is not saved is reverted.
 * @param {readonly RunsEdit[]} edits @returns {Promise<NoteProblem[]>} why runs are as before */
export async function saveManyNotes(edits) {
  const before = notes.peek();
  const changed = edits.flatMap(({ runs }) => runs);
  notes.value = editedNotes(before, edits, NO_NOTE);
  const saved = Promise.all(changed.map((run) => saving.get(run))).then(() => sendEdits(edits));
  const end = saved.then(() => {});
  for (const run of changed) saving.set(run, end);
  const problems = await saved;
  for (const run of changed) if (saving.get(run) === end) saving.delete(run);
  if (problems.length) {
    const restored = new Map(notes.peek());
    for (const { run } of problems) restored.set(run, before.get(run) ?? NO_NOTE);
    notes.value = restored;
  }
  noteList.invalidate();
  return problems;
}

/** @param {readonly RunsEdit[]} edits @returns {Promise<NoteProblem[]>} */
async function sendEdits(edits) {
  /** @type {NoteProblem[]} */
  const problems = [];
  for (const request of requestsOf(edits)) {
    try {
      problems.push(...(await changeManyNotes(request)).problems);
    } catch (error) {
      const detail = error instanceof RequestError ? error.message : "";
      problems.push(...request.flatMap(({ runs }) => runs.map((run) => ({ run, detail }))));
    }
  }
  return problems;
}

/** @param {string} run @param {Partial<Note>} patch @param {Partial<Note>} previous */
async function save(run, patch, previous) {
  try {
    const reply = await changeNotes(run, patch);
    publish(run, { ...noteOf(run), ...pick(reply.notes, patch) });
    setSaveError(run, null);
  } catch (error) {
    publish(run, { ...noteOf(run), ...previous });
    setSaveError(run, /** @type {Error} */ (error));
  }
}

/** @param {Note} note @param {Partial<Note>} patch
 * @returns {Partial<Note>} the fields of the patch, as the server stored them */
const pick = (note, patch) =>
  Object.fromEntries(Object.keys(patch).map((name) => [name, note[/** @type {keyof Note} */ (name)]]));

/** @param {string} run @param {Note} note */
function publish(run, note) {
  notes.value = new Map(notes.peek()).set(run, note);
}

/** @param {string} run @param {Error | null} error */
function setSaveError(run, error) {
  const errors = new Map(saveErrors.peek());
  errors.delete(run);
  if (error) errors.set(run, error);
  saveErrors.value = errors;
}
