// What users say about runs: shown at once, kept by the server, the same for all who look at the logdir.

import { computed, effect, signal } from "@preact/signals-core";
import { runsByName, runsReply } from "./catalogue.js";
import { changeNotes, listNotes } from "./notes_client.js";
import { Query } from "./query.js";
import { set, setting } from "./view.js";

/** @typedef {import("./notes_client.js").Note} Note */

/** @type {Note} */
const NO_NOTE = { alias: null, note: "", tags: [], colour: null, hidden: false, archived: false };

/** Asked for at most this often while points come in. */
const INTERVAL = 1000;

/** By run; a run nothing is said about has none. Asked for while somebody reads them.
 * @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Note>>} */
export const notes = signal(new Map(), { watched: () => queueMicrotask(follow), unwatched: unfollow });
/** Notes that the server could not read, a sentence each. @type {import("@preact/signals-core").Signal<string[]>} */
export const noteProblems = signal([]);
/** Why the last change of a run was not kept. @type {import("@preact/signals-core").Signal<ReadonlyMap<string, Error>>} */
export const saveErrors = signal(new Map());

/** Changes under way and what comes behind them, by run. @type {Map<string, Promise<void>>} */
const saving = new Map();
/** @type {typeof noteList.value.value} */
let lastReply = null;

const awayShown = setting("over.away", "", ["", "shown"]);
/** Are hidden and archived runs listed and drawn like all others? */
export const areHiddenShown = computed(() => awayShown.value === "shown");
/** @param {boolean} shown */
export const showHidden = (shown) => set({ "over.away": shown ? "shown" : "" });

/** Runs that are hidden or archived; notes on runs that are gone do not count. */
export const hiddenRuns = computed(() => {
  const away = [...notes.value].filter(([run, note]) => (note.hidden || note.archived) && runsByName.value.has(run));
  return new Set(away.map(([run]) => run));
});
/** @type {ReadonlySet<string>} */
const NO_RUNS = new Set();
/** Those of them that are neither listed nor drawn because nobody asked for them. */
export const excludedRuns = computed(() => (areHiddenShown.value ? NO_RUNS : hiddenRuns.value));

/** @param {string} run */
export const noteOf = (run) => notes.value.get(run) ?? NO_NOTE;

/** All tags that runs have, in alphabetical order. */
export const noteTags = computed(() => [...new Set([...notes.value.values()].flatMap((note) => note.tags))].sort());

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
      runsReply.value; // A changed note is announced as a changed run, and the runs are listed again.
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
  const isDropped = !reply || reply === lastReply || saving.size > 0;
  lastReply = reply;
  if (isDropped || JSON.stringify(reply.runs) === JSON.stringify(Object.fromEntries(notes.peek()))) return;
  notes.value = new Map(Object.entries(reply.runs));
  noteProblems.value = reply.problems;
}

/** Shows a change at once and has the server keep it; changes of a run are kept in their order. When the server
 * cannot keep it, what was before comes back and `saveErrors` says why.
 * @param {string} run @param {Partial<Note>} patch */
export function saveNotes(run, patch) {
  const before = noteOf(run);
  publish(run, { ...before, ...patch });
  const undone = /** @type {Partial<Note>} */ (
    Object.fromEntries(Object.keys(patch).map((name) => [name, before[/** @type {keyof Note} */ (name)]]))
  );
  const save = (saving.get(run) ?? Promise.resolve()).then(() => keep(run, patch, undone));
  saving.set(run, save);
  return save.finally(() => {
    if (saving.get(run) === save) saving.delete(run);
    if (!saving.size) noteList.invalidate(); // Replies in the meantime were dropped.
  });
}

/** @param {string} run @param {Partial<Note>} patch @param {Partial<Note>} before */
async function keep(run, patch, before) {
  try {
    const reply = await changeNotes(run, patch);
    publish(run, { ...noteOf(run), ...pick(reply.notes, patch) });
    setSaveError(run, null);
  } catch (error) {
    publish(run, { ...noteOf(run), ...before });
    setSaveError(run, /** @type {Error} */ (error));
  }
}

/** @param {Note} note @param {Partial<Note>} patch @returns {Partial<Note>} the fields of the patch, as the server keeps them */
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
